// The rules of the guard's page, without a browser: `node --test`. GUARD is the folder of its modules.

import assert from "node:assert/strict";
import { test } from "node:test";

const load = (name) => import(`${process.env.GUARD}/${name}`);
const { codeIn, stepOfCode, stepOfTag, technologyOf, withinLimit } = await load("rules/code.js");
const { isMine, progressOf, inOrder } = await load("rules/list.js");
const { isOutside, mayWalk, missingAnswers, numberIn, stepsDone, takesEffect, withEntries } = await load("rules/round.js");
const { judgeMedium, judgeReport, nextBatch, statusOf, waitAfter, HOLD } = await load("rules/queue.js");
const { languageOf, textsOf } = await load("texts.js");

const action = (id, type, required = true) => ({
  id, name: id, type, required, state: "PENDING", minValue: null, maxValue: null,
  booleanValue: null, numberValue: null, textValue: null, mediaIds: null,
});
const step = (id, pointId, ...actions) => ({ id, name: id, pointId, state: "PENDING", actions });
const record = (over = {}) => ({
  id: "r", name: "Night", description: null, locationId: "l", state: "PENDING", published: true,
  startAt: "2026-12-01T22:00:00.000Z", endAt: "2026-12-01T23:00:00.000Z", performerId: null, assigneeIds: [],
  steps: [step("s1", "p1", action("a1", "BOOLEAN"), action("a2", "NUMBER")), step("s2", "p2", action("a3", "TEXT", false))], ...over,
});
const entry = (type, rest = {}) => ({ entry: { id: "e", type, at: "2026-12-01T22:00:00.000Z", ...rest }, userId: "u" });

test("entries change a round as the service does", () => {
  const answer = (actionId, value) => entry("RESULT", { stepId: "s1", actionId, ...value });
  const states = (...items) => {
    const round = withEntries(record(), items);
    return [round.state, ...round.steps.map(({ state }) => state)].join(" ");
  };
  const start = entry("START");
  assert.equal(states(entry("SCAN", { stepId: "s1" })), "PENDING PENDING PENDING", "nothing before the start");
  assert.equal(states(start), "IN_PROGRESS PENDING PENDING");
  assert.equal(states(start, entry("SCAN", { stepId: "s1" })), "IN_PROGRESS IN_PROGRESS PENDING");
  assert.equal(states(start, answer("a1", { booleanValue: true })), "IN_PROGRESS IN_PROGRESS PENDING");
  assert.equal(states(start, answer("a1", { booleanValue: true }), answer("a2", { numberValue: 3 })), "IN_PROGRESS COMPLETED PENDING");
  assert.equal(states(start, entry("FINISH_STEP", { stepId: "s2" }), entry("SCAN", { stepId: "s2" })), "IN_PROGRESS PENDING COMPLETED");
  assert.equal(states(start, entry("COMPLETE"), entry("SCAN", { stepId: "s1" })), "COMPLETED PENDING PENDING");
  assert.equal(states(start, entry("NOTE"), entry("SCAN", { stepId: "nowhere" })), "IN_PROGRESS PENDING PENDING");
  assert.equal(states(start, entry("RESULT", { stepId: "s1", actionId: "a3", textValue: "x" })), "IN_PROGRESS PENDING PENDING", "an action of another step");
  const round = withEntries(record(), [start, answer("a1", { booleanValue: false }), answer("a1", { booleanValue: true })]);
  assert.equal(round.steps[0].actions[0].booleanValue, true, "a later answer replaces the earlier one");
  assert.equal(round.performerId, "u");
  assert.deepEqual([stepsDone(round), missingAnswers(round)], [0, 1]);
  const untouched = record();
  withEntries(untouched, [start]);
  assert.equal(untouched.state, "PENDING", "the record itself does not change");
});

test("a button that is pressed twice records once", () => {
  const effects = (state, stepState = "PENDING") => {
    const round = record({ state });
    round.steps[0].state = stepState;
    return ["START", "SCAN", "RESULT", "FINISH_STEP", "NOTE", "COMPLETE"].filter((type) => takesEffect(round, { type, stepId: "s1" })).join(" ");
  };
  assert.equal(effects("PENDING"), "START NOTE");
  assert.equal(effects("IN_PROGRESS"), "SCAN RESULT FINISH_STEP NOTE COMPLETE");
  assert.equal(effects("IN_PROGRESS", "COMPLETED"), "SCAN RESULT NOTE COMPLETE");
  assert.equal(effects("COMPLETED"), "NOTE");
});

test("a code is compared without the address of a label", () => {
  const origin = "https://patrol.example";
  for (const [text, code] of [
    ["GATE-1", "GATE-1"], [`${origin}/guard/scan#GATE-1`, "GATE-1"], [`${origin}/guard/scan#a%20%23%D1%8F`, "a #я"], [`${origin}/guard/scan#100%`, "100%"],
    ["https://other.example/guard/scan#GATE-1", "https://other.example/guard/scan#GATE-1"], ["<b>", "<b>"], ["", ""],
  ]) assert.equal(codeIn(text, origin), code);
});

test("a code finds the first step that is not done", () => {
  const point = { id: "p", name: "Gate", type: "QR", qrCode: "G", rfidCode: "04:a1" };
  const round = { id: "r", record: record({ steps: [{ ...step("s1", "p"), state: "COMPLETED" }, step("s2", "p"), step("s3", null), step("s4", "gone")] }), points: { p: point } };
  assert.equal(stepOfCode(round, "G").id, "s2");
  assert.equal(stepOfCode(round, "g"), null, "the case counts");
  assert.equal(stepOfCode(round, "x".repeat(4000)), null);
  assert.deepEqual([stepOfTag(round, ["nothing", "04:a1"]).step.id, stepOfTag(round, ["G"])], ["s2", null]);
  round.record.steps[1].state = "COMPLETED";
  assert.equal(stepOfCode(round, "G").id, "s1", "all are done: the first");
  const cut = (stepAt, code) => withinLimit(round, round.record.steps[stepAt], { technology: "QR", code }).code;
  assert.deepEqual([cut(0, "G"), cut(0, null), cut(0, "🚪".repeat(4000)), cut(2, "x".repeat(255))], ["G", null, "🚪".repeat(255), "x".repeat(255)]);
  point.qrCode = "y".repeat(650);
  assert.equal(cut(0, point.qrCode), point.qrCode, "what a point has is sent whole");
  point.qrCode = "G";
  const technology = (over) => technologyOf({ ...point, ...over });
  assert.deepEqual(
    [technology({}), technology({ qrCode: null }), technology({ qrCode: null, type: "RFID" }), technology({ qrCode: null, rfidCode: null, type: "VIRTUAL" }), technologyOf(null)],
    ["QR", "NFC", "RFID", "VIRTUAL", "VIRTUAL"],
  );
});

test("my rounds are those that I may walk now", () => {
  const now = Date.parse("2026-12-01T22:05:00Z");
  const mine = (over, locations = []) => isMine(record(over), { userId: "u", role: "EMPLOYEE" }, locations, now);
  const hours = (count) => ({ startAt: new Date(now + count * 3600e3).toISOString() });
  for (const [over, locations, expected] of [
    [{}, [], true], [{}, ["l"], true], [{}, ["other"], false], [{ published: false }, [], false],
    [{ assigneeIds: ["u"], published: false }, ["other"], true], [{ assigneeIds: ["v"] }, [], false],
    [{ state: "COMPLETED", assigneeIds: ["u"] }, [], false], [hours(24), [], true], [hours(24.1), [], false], [hours(-24), [], true], [hours(-24.1), [], false],
    [{ ...hours(-90), state: "IN_PROGRESS", performerId: "u", assigneeIds: ["u", "v"] }, [], true],
    [{ ...hours(-90), state: "IN_PROGRESS", performerId: "u", assigneeIds: ["v"] }, [], false], [{ ...hours(-90), state: "IN_PROGRESS", performerId: "v" }, [], false],
  ]) assert.equal(mine(over, locations), expected, JSON.stringify([over, locations]));
  const progress = (state, minutes, published = true) =>
    progressOf({ state, startAt: record().startAt, published }, Date.parse(record().startAt) + minutes * 60e3, 10 * 60e3);
  assert.deepEqual([progress("PENDING", 10), progress("PENDING", 10.1), progress("PENDING", 10.1, false), progress("IN_PROGRESS", 99), progress("COMPLETED", 99)],
    ["planned", "late", "planned", "started", "completed"]);
  const ids = inOrder([{ record: record({ id: "b" }) }, { record: record({ id: "c", ...hours(-1) }) }, { record: record({ id: "a" }) }]).map(({ record: { id } }) => id);
  assert.deepEqual(ids, ["c", "a", "b"]);
  const may = (role, assigneeIds) => mayWalk(record({ assigneeIds }), { userId: "u", role });
  assert.deepEqual([may("EMPLOYEE", []), may("EMPLOYEE", ["u"]), may("EMPLOYEE", ["v"]), may("MANAGER", ["v"]), may("ADMIN", ["v"])], [true, true, false, true, true]);
});

test("a number is read with a point or a comma, and nothing is guessed", () => {
  const read = (...texts) => texts.map(numberIn);
  assert.deepEqual(read("7", " 35,5 ", "35.5", "-2", "\u22122", "\u20132", ".5", "+1.", "1 000", "12\u00a0345 678,5"), [7, 35.5, 35.5, -2, -2, -2, 0.5, 1, 1000, 12345678.5]);
  assert.deepEqual(read("", "1e", "1e3", "1,234,5", "1.234,5", "ten", "0x1", "Infinity", "NaN", "1 2", "1 0000"), Array(11).fill(null));
});

test("bounds are those of the action", () => {
  const outside = (minValue, maxValue, value) => isOutside({ minValue, maxValue }, value);
  assert.deepEqual([outside(1, 2, 0.9), outside(1, 2, 1), outside(1, 2, 2), outside(1, 2, 2.1), outside(null, 0, 1), outside(0, null, -1), outside(null, null, 1e300)],
    [true, false, false, true, true, true, false]);
});

const item = (seq, over = {}) => ({
  seq, userId: "u", userName: "Ann Guard", roundId: "r", roundName: "Night", entry: { id: `e${seq}`, type: "NOTE", at: "" }, hold: 0, tried: false, refusal: null, ...over,
});
const seqs = (queue, ...rest) => nextBatch(queue, "u", 1000, ...rest).items.map(({ seq }) => seq);

test("the next request has the entries of one round, in order", () => {
  assert.deepEqual(seqs([item(1), item(2), item(3, { roundId: "other" }), item(4)]), [1, 2]);
  assert.deepEqual(seqs([item(1, { userId: "v" }), item(2), item(3, { refusal: { code: "c", message: "m" } }), item(4)]), [2, 4]);
  assert.deepEqual(seqs(Array.from({ length: 1500 }, (_, seq) => item(seq))).length, 1000);
  assert.deepEqual(seqs([item(1), item(2), item(3)], 2), [1, 2]);
  const long = (seq) => item(seq, { entry: { id: `e${seq}`, textValue: "я".repeat(2 ** 21) } });
  assert.deepEqual(seqs([long(1), long(2), long(3)]), [1], "8 MiB are bytes, not characters");
  assert.deepEqual(seqs([item(1, { entry: { id: "e", textValue: "x".repeat(9e6) } })]), [1], "one is always sent: the service says that it is too large");
});

test("an entry waits for its position, and what was recorded later waits for it", () => {
  const held = (hold, over = {}) => item(1, { hold, ...over });
  assert.deepEqual(nextBatch([held(1000 + HOLD), item(2)], "u", 1000), { items: [], wait: HOLD });
  assert.deepEqual(seqs([item(0), held(1500)]), [0]);
  assert.deepEqual(seqs([held(1000)]), [1], "the time is over");
  assert.deepEqual(seqs([held(1001 + HOLD)]), [1], "the clock was set back");
  assert.deepEqual(seqs([held(1500, { tried: true })]), [1]);
});

test("every answer has its meaning", () => {
  const error = { code: "some.code", message: "says why" };
  const judge = (status, body, ids = ["a", "b"]) => judgeReport({ status, body }, ids);
  const settled = judge(200, { entries: [{ id: "b", outcome: "REFUSED", code: "state.not.allowed", message: "m" }, { id: "a", outcome: "DUPLICATE" }] });
  assert.deepEqual([...settled.outcomes], [["b", { code: "state.not.allowed", message: "m" }], ["a", null]]);
  for (const body of [null, "", {}, { entries: [{ id: "a", outcome: "ACCEPTED" }] }, { entries: [{ id: "a", outcome: "ACCEPTED" }, { id: "b", outcome: "LOST" }] }]) {
    assert.deepEqual(judge(200, body), { kind: "later", isOffline: false }, "half an answer is none");
  }
  assert.deepEqual(judge(0, null), { kind: "later", isOffline: true });
  for (const status of [408, 425, 429, 500, 502, 503]) assert.equal(judge(status, error).kind, "later");
  for (const status of [204, 302, 400, 403, 404]) assert.equal(judge(status, { title: "hotel" }).kind, "later", "not an answer of the service");
  assert.deepEqual([judge(401, error).kind, judge(403, error).kind, judge(413, error).kind], ["signIn", "recheck", "halve"]);
  assert.deepEqual(judge(413, error, ["a"]), { kind: "refused", refusals: new Map([[0, error]]) });
  assert.deepEqual([...judge(400, error).refusals], [[0, error], [1, error]]);
  assert.deepEqual([...judge(400, { ...error, details: [{ identifier: "[1].stepId" }, { identifier: "[1].at" }, { identifier: "[7]" }] }).refusals.keys()], [1]);
  assert.deepEqual(judgeMedium({ status: 201, body: { id: "m" } }), null);
  assert.equal(judgeMedium({ status: 200, body: { hello: 1 } }).kind, "later");
  const [odd, bad] = [{ code: "validation.characters.failed", message: "odd" }, { code: "validation.media.failed", message: "bad" }];
  const details = [{ identifier: "[1].textValue", ...odd }, { identifier: "[0].mediaIds[0]", ...bad }];
  assert.deepEqual(judge(400, { ...error, details }).refusals, new Map([[1, odd], [0, bad]]), "each entry has its own fault");
  assert.deepEqual([...judgeMedium({ status: 400, body: { ...error, details: [bad] } }).refusals], [[0, bad]]);
  assert.deepEqual([...judgeMedium({ status: 413, body: error }).refusals], [[0, error]]);
});

test("the wait doubles from 1 s to 60 s, with jitter", () => {
  assert.deepEqual([1, 2, 3, 7, 50].map((failures) => waitAfter(failures, 1)), [1000, 2000, 4000, 60_000, 60_000]);
  assert.ok(waitAfter(1, 0) >= 800 && waitAfter(1, 0.5) < 1000);
});

test("the status line never says too much", () => {
  const idle = { isSending: false, isOffline: false };
  const own = (queue, sending = idle, userId = "u") => {
    const { own: state, waiting, others } = statusOf(queue, userId, sending);
    return [state, waiting, ...others.map(({ name, count }) => `${count} ${name}`)];
  };
  const refused = item(9, { refusal: { code: "c", message: "m" } });
  assert.deepEqual(own([]), ["sent", 0]);
  assert.deepEqual(own([refused]), ["sent", 0]);
  assert.deepEqual(own([item(1), item(2), refused]), ["waiting", 2]);
  assert.deepEqual(own([item(1)], { ...idle, isSending: true }), ["sending", 1]);
  assert.deepEqual(own([item(1)], { isSending: true, isOffline: true }), ["offline", 1]);
  assert.deepEqual(own([], { ...idle, isOffline: true }), ["sent", 0]);
  assert.deepEqual(own([item(1), item(2, { userId: "v", userName: "Bo" })]), ["waiting", 1, "1 Bo"]);
  assert.deepEqual(own([item(1), item(2)], idle, null), ["waiting", 2], "signed out, no name is said");
});

test("both languages have the same texts", () => {
  const [en, ru] = [textsOf("en"), textsOf("ru")];
  assert.deepEqual(Object.keys(ru), Object.keys(en));
  for (const name of ["types", "reasons"]) assert.deepEqual(Object.keys(ru[name]), Object.keys(en[name]));
  assert.deepEqual([en.signInToSend(1), en.signInToSend(3), en.missingAnswers(2), en.offlineWaiting(3), en.waiting(3), en.othersWait(3, "Ann Guard")],
    ["Sign in to send 1 entry", "Sign in to send 3 entries", "2 required answers are missing", "Offline, 3 waiting", "3 waiting", "3 of Ann Guard wait"]);
  assert.deepEqual([ru.signInToSend(1), ru.signInToSend(3), ru.signInToSend(5)],
    ["Войдите, чтобы отправить 1 запись", "Войдите, чтобы отправить 3 записи", "Войдите, чтобы отправить 5 записей"]);
  assert.deepEqual([languageOf(null, undefined, "de", "ru-RU"), languageOf("en", "ru"), languageOf()], ["ru", "en", "en"]);
});
