// Codes: which step of a round a code belongs to.

/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../types.js").Step} Step */
/** @typedef {import("../types.js").Point} Point */

/** Printed labels lead to this path; the code follows. */
export const LABEL_PATH = "/guard/scan#";

/**
 * The code in a text that was scanned: a label of this service has its code in an address.
 * @param {string} text
 * @param {string} origin For example `https://patrol.example`.
 */
export function codeIn(text, origin) {
  return text.startsWith(origin + LABEL_PATH) ? decoded(text.slice((origin + LABEL_PATH).length)) : text;
}

/**
 * The text that was percent-encoded, or the text itself where it is not.
 * @param {string} text
 */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {Round} round
 * @param {Step} step
 * @returns {Point | null}
 */
export function pointOf(round, step) {
  return (step.pointId && round.points[step.pointId]) || null;
}

/**
 * The first step that is not done whose point passes, or else the first that is.
 * @param {Round} round
 * @param {(point: Point) => boolean} passes
 */
function stepWith(round, passes) {
  const steps = round.record.steps.filter((step) => {
    const point = pointOf(round, step);
    return point !== null && passes(point);
  });
  return steps.find((step) => step.state !== "COMPLETED") ?? steps[0] ?? null;
}

/**
 * The step that a QR code belongs to.
 * @param {Round} round
 * @param {string} code
 */
export function stepOfCode(round, code) {
  return stepWith(round, (point) => point.qrCode === code);
}

/**
 * The step that a tag belongs to, and its code: the serial number or the text of the tag.
 * @param {Round} round
 * @param {string[]} texts
 */
export function stepOfTag(round, texts) {
  for (const code of texts) {
    const step = stepWith(round, (point) => point.rfidCode === code);
    if (step) return { step, code };
  }
  return null;
}

/**
 * How a point is scanned when its code cannot be read.
 * @param {Point | null} point
 */
export function technologyOf(point) {
  if (!point) return "VIRTUAL";
  if (point.qrCode !== null) return "QR";
  if (point.rfidCode !== null) return point.type === "RFID" ? "RFID" : "NFC";
  return point.type;
}

/** The longest code that the service takes unless its limits were raised, in characters. */
export const MAX_CODE = 255;

/**
 * What was scanned as it is sent: of a code that no point has, only what the service takes.
 * @template {{ code: string | null }} T
 * @param {Round} round
 * @param {Step} step
 * @param {T} scanned
 * @returns {T}
 */
export function withinLimit(round, step, scanned) {
  const { code } = scanned;
  const point = pointOf(round, step);
  if (code === null || code === point?.qrCode || code === point?.rfidCode) return scanned;
  return { ...scanned, code: [...code].slice(0, MAX_CODE).join("") };
}
