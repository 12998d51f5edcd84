// The texts of the page in all languages. Both have the same names; a text with values is a function.

/** Making these takes a slow phone longer than using them. @type {Map<string, Intl.PluralRules>} */
const rules = new Map();
/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();
/** @type {Map<string, Intl.NumberFormat>} */
const numbers = new Map();

/**
 * @template T
 * @param {Map<string, T>} made
 * @param {string} language
 * @param {() => T} make
 */
function once(made, language, make) {
  const known = made.get(language) ?? make();
  made.set(language, known);
  return known;
}

/**
 * The form of a word for a count.
 * @param {string} language
 * @param {number} count
 * @param {Partial<Record<Intl.LDMLPluralRule, string>>} forms
 */
function plural(language, count, forms) {
  const form = once(rules, language, () => new Intl.PluralRules(language)).select(count);
  return `${count} ${forms[form] ?? forms.many ?? forms.other}`;
}

const en = {
  language: "Language",
  skip: "Skip to the content",
  signOut: "Sign out",
  signIn: "Sign in",
  signedOut: "You are signed out. Sign in to see your rounds.",
  signInOffline: "There is no network. You can sign in when it is back.",
  cancel: "Cancel",
  save: "Save",
  loading: "Loading",

  allSent: "All sent",
  sending: "Sending",
  waiting: (/** @type {number} */ count) => `${count} waiting`,
  offlineWaiting: (/** @type {number} */ count) => `Offline, ${count} waiting`,
  othersWait: (/** @type {number} */ count, /** @type {string} */ name) => `${count} of ${name} wait`,
  signInToSend: (/** @type {number} */ count) => `Sign in to send ${plural("en", count, { one: "entry", other: "entries" })}`,
  sessionOver: "Your session is over.",
  wrongClock: (/** @type {number} */ minutes) =>
    `The clock of this phone is ${plural("en", Math.abs(minutes), { one: "minute", other: "minutes" })} ${minutes > 0 ? "fast" : "slow"}, and so are the times that are recorded. Set it.`,
  leaveQuestion: "Sign out?",
  leaveAbout: (/** @type {number} */ count) =>
    `${plural("en", count, { one: "entry is", other: "entries are" })} not sent yet. They stay on this phone and are sent when you sign in again.`,
  storageFull: "The storage of this phone is full: nothing was recorded. Remove something else from the phone and try again.",
  failed: "Something went wrong: nothing was recorded. Try again.",

  myRounds: "My rounds",
  refresh: "Refresh",
  noRounds: "There is no round for you now. Rounds appear here a day ahead.",
  notFetched: "The rounds have not been fetched yet: there is no network.",
  notRefreshed: "The service does not answer: the list is as it was before.",
  planned: "Planned", started: "Started", late: "Late", completed: "Completed", deleted: "Deleted",
  stepsOf: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${plural("en", all, { one: "step", other: "steps" })}`,
  entriesWait: (/** @type {number} */ count) => plural("en", count, { one: "entry waits", other: "entries wait" }),
  entriesRefused: (/** @type {number} */ count) => `${count} not accepted`,

  roundAbsent: "There is no such round",
  roundAbsentAbout: "It was deleted, or the address is wrong.",
  roundOffline: "This round is not on the phone",
  roundOfflineAbout: "Open it again when there is a network.",
  toRounds: "To my rounds",
  readOnly: "You may look at this round, but not walk it.",
  startRound: "Start round",
  finishRound: "Finish round",
  finishAnyway: "Finish anyway",
  missingAnswers: (/** @type {number} */ count) =>
    plural("en", count, { one: "required answer is missing", other: "required answers are missing" }),
  roundDone: "The round is completed.",
  stepsInOrder: "Do the steps in this order.",
  strictTime: "Walk the round within its time.",
  steps: "Steps",
  open: "Open", done: "Done", notStarted: "Not started",
  scan: "Scan", scanHeading: "Scan a code", scanAbout: "Hold the camera over the code.",
  noCamera: "The camera cannot be used. Type the code with “Enter code”.",
  enterCode: "Enter code", code: "Code",
  noCode: "No code",
  tapTag: "Tap tag", tapAbout: "Hold the phone against the tag.", noTags: "The tag cannot be read. Switch NFC on and try again.",
  codeTaken: (/** @type {string} */ step) => `Code taken: ${step}`,
  codeKept: (/** @type {string} */ step) => `No step has this code. It is recorded at “${step}” as it is.`,
  unknownCode: "This code belongs to no step of the round",
  unknownTag: "This tag belongs to no step of the round",
  answers: "Answers",
  required: "Required", recorded: "Recorded", notRecorded: "Not recorded",
  yes: "Yes", no: "No",
  between: (/** @type {string} */ low, /** @type {string} */ high) => `From ${low} to ${high}`,
  atLeast: (/** @type {string} */ low) => `At least ${low}`,
  atMost: (/** @type {string} */ high) => `At most ${high}`,
  outside: "Outside the bounds. It is recorded as it is.",
  notNumber: "This is not a number. Write for example 21.5.",
  picture: (/** @type {number} */ number) => `Picture ${number}`,
  remove: "Remove",
  lastPicture: "An answer needs a picture. Add another one, then remove this one.",
  finishStep: "Finish step",
  addNote: "Add note", text: "Text", pictures: "Pictures", saveNote: "Save note", emptyNote: "Write something or add a picture.", noteSaved: "The note is saved.",

  notAccepted: "Not accepted",
  someRefused: "The service did not accept something. It is listed at the top of the round.",
  dismiss: "Dismiss",
  types: { START: "Start of the round", SCAN: "Scan", RESULT: "Answer", FINISH_STEP: "Step finished", NOTE: "Note", COMPLETE: "End of the round" },
  alreadyStarted: "The round was already started, or completed.",
  files: (/** @type {number} */ count) => plural("en", count, { one: "picture", other: "pictures" }),
  reasons: /** @type {Record<string, string>} */ ({
    "state.not.allowed": "The round was in another state: it was not started, or already completed.",
    "validation.reference.failed": "The round was changed: it has no such step or action any more.",
    "validation.value.failed": "The value does not fit the action.",
    "report.id.conflict": "Another entry has this id.",
    "access.denied": "You may not report on this round any more.",
    "not.found": "The round was deleted.",
    "validation.media.failed": "A file is of a kind that the service does not take.",
    "payload.too.large": "A file is too large.",
  }),
  refusedBecause: (/** @type {string} */ message) => `The service says: ${message}`,

  scanAddress: "Scan",
  whichRound: "Which round?",
  walkedByAnother: "Another person has started this. Go on only if you walk it together.",
  noRoundHasCode: "No round that you have started has this code.",
  startOne: "Start one of these rounds first:",
  orStartOne: "Or start one of these rounds:",
};

/** @type {typeof en} */
const ru = {
  language: "Язык",
  skip: "Перейти к содержанию",
  signOut: "Выйти",
  signIn: "Войти",
  signedOut: "Вы вышли. Войдите, чтобы увидеть свои обходы.",
  signInOffline: "Нет сети. Войти можно будет, когда она появится.",
  cancel: "Отмена",
  save: "Сохранить",
  loading: "Загрузка",

  allSent: "Всё отправлено",
  sending: "Отправляется",
  waiting: (count) => `Ждут отправки: ${count}`,
  offlineWaiting: (count) => `Нет сети, ждут отправки: ${count}`,
  othersWait: (count, name) => `Ждут записи (${name}): ${count}`,
  signInToSend: (count) => `Войдите, чтобы отправить ${plural("ru", count, { one: "запись", few: "записи", many: "записей" })}`,
  sessionOver: "Сеанс закончился.",
  wrongClock: (minutes) => `Часы телефона ${minutes > 0 ? "спешат" : "отстают"} на ${plural("ru", Math.abs(minutes), { one: "минуту", few: "минуты", many: "минут" })}, и записывается неверное время. Переведите часы.`,
  leaveQuestion: "Выйти?",
  leaveAbout: (count) => `Ещё не отправлено: ${plural("ru", count, { one: "запись", few: "записи", many: "записей" })}. Записи останутся в телефоне и будут отправлены, когда вы войдёте снова.`,
  storageFull: "В телефоне нет места: ничего не записано. Освободите место и попробуйте ещё раз.",
  failed: "Что-то пошло не так: ничего не записано. Попробуйте ещё раз.",

  myRounds: "Мои обходы",
  refresh: "Обновить",
  noRounds: "Сейчас для вас нет обходов. Они появляются здесь за сутки.",
  notFetched: "Обходы ещё не загружены: нет сети.",
  notRefreshed: "Сервис не отвечает: список прежний.",
  planned: "Запланирован", started: "Начат", late: "Опаздывает", completed: "Завершён", deleted: "Удалён",
  stepsOf: (done, all) => `${done} из ${plural("ru", all, { one: "шага", few: "шагов", many: "шагов" })}`,
  entriesWait: (count) => `ждут отправки: ${count}`,
  entriesRefused: (count) => `не принято: ${count}`,

  roundAbsent: "Такого обхода нет",
  roundAbsentAbout: "Он удалён, или адрес неверен.",
  roundOffline: "Этого обхода нет в телефоне",
  roundOfflineAbout: "Откройте его снова, когда появится сеть.",
  toRounds: "К моим обходам",
  readOnly: "Вы можете смотреть этот обход, но не выполнять его.",
  startRound: "Начать обход",
  finishRound: "Завершить обход",
  finishAnyway: "Всё равно завершить",
  missingAnswers: (count) => `Нет обязательных ответов: ${count}`,
  roundDone: "Обход завершён.",
  stepsInOrder: "Выполняйте шаги в этом порядке.",
  strictTime: "Выполните обход в указанное время.",
  steps: "Шаги",
  open: "Открыт", done: "Готов", notStarted: "Не начат",
  scan: "Сканировать", scanHeading: "Сканирование кода", scanAbout: "Наведите камеру на код.",
  noCamera: "Камера недоступна. Введите код кнопкой «Ввести код».",
  enterCode: "Ввести код", code: "Код",
  noCode: "Нет кода",
  tapTag: "Приложить к метке", tapAbout: "Приложите телефон к метке.", noTags: "Метка не читается. Включите NFC и попробуйте ещё раз.",
  codeTaken: (step) => `Код принят: ${step}`,
  codeKept: (step) => `Такого кода нет ни у одного шага. Он записан в шаге «${step}» как есть.`,
  unknownCode: "В этом обходе нет шага с таким кодом",
  unknownTag: "В этом обходе нет шага с такой меткой",
  answers: "Ответы",
  required: "Обязательно", recorded: "Записано", notRecorded: "Не записано",
  yes: "Да", no: "Нет",
  between: (low, high) => `От ${low} до ${high}`,
  atLeast: (low) => `Не меньше ${low}`,
  atMost: (high) => `Не больше ${high}`,
  outside: "Вне границ. Записано как есть.",
  notNumber: "Это не число. Напишите, например, 21,5.",
  picture: (number) => `Снимок ${number}`,
  remove: "Убрать",
  lastPicture: "Ответу нужен снимок. Добавьте другой, потом уберите этот.",
  finishStep: "Закончить шаг",
  addNote: "Добавить заметку", text: "Текст", pictures: "Снимки", saveNote: "Сохранить заметку", emptyNote: "Напишите что-нибудь или добавьте снимок.", noteSaved: "Заметка сохранена.",

  notAccepted: "Не принято",
  someRefused: "Сервис не принял запись. Она указана вверху обхода.",
  dismiss: "Убрать из списка",
  types: { START: "Начало обхода", SCAN: "Сканирование", RESULT: "Ответ", FINISH_STEP: "Шаг закончен", NOTE: "Заметка", COMPLETE: "Конец обхода" },
  alreadyStarted: "Обход уже был начат или завершён.",
  files: (count) => plural("ru", count, { one: "снимок", few: "снимка", many: "снимков" }),
  reasons: {
    "state.not.allowed": "Обход был в другом состоянии: не начат или уже завершён.",
    "validation.reference.failed": "Обход изменили: такого шага или действия в нём больше нет.",
    "validation.value.failed": "Значение не подходит к действию.",
    "report.id.conflict": "Такой номер уже есть у другой записи.",
    "access.denied": "Вам больше нельзя выполнять этот обход.",
    "not.found": "Обход удалён.",
    "validation.media.failed": "Файл такого вида сервис не принимает.",
    "payload.too.large": "Файл слишком большой.",
  },
  refusedBecause: (message) => `Ответ сервиса: ${message}`,

  scanAddress: "Сканирование",
  whichRound: "Какой обход?",
  walkedByAnother: "Этот обход начал другой человек. Продолжайте, только если идёте вместе.",
  noRoundHasCode: "Ни в одном начатом вами обходе нет этого кода.",
  startOne: "Сначала начните один из этих обходов:",
  orStartOne: "Или начните один из этих обходов:",
};

/** @typedef {typeof en} Texts */

/** The languages with their names, by their tags. */
export const LANGUAGES = { en: "English", ru: "Русский" };

/** @param {string} language @returns {Texts} */
export function textsOf(language) {
  return language === "ru" ? ru : en;
}

/**
 * The chosen language, or else the person's, or else the one that the browser prefers.
 * @param {(string | null | undefined)[]} wanted
 * @returns {"en" | "ru"}
 */
export function languageOf(...wanted) {
  const known = wanted.map((tag) => tag?.slice(0, 2).toLowerCase()).find((tag) => tag === "en" || tag === "ru");
  return known === "ru" ? "ru" : "en";
}

/**
 * A time in the time zone of the phone.
 * @param {string} language
 * @param {string} time
 */
export function timeText(language, time) {
  const options = /** @type {const} */ ({ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return once(formats, language, () => new Intl.DateTimeFormat(language, options)).format(new Date(time));
}

/**
 * A number as people write it; without separators of thousands, which a field would not understand.
 * @param {string} language
 * @param {number} number
 */
export function numberText(language, number) {
  return once(numbers, language, () => new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false })).format(number);
}
