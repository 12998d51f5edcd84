// Elements and their changes: a page is built anew from what it shows, and the document takes over what differs.

/** @typedef {Node | string | null | false | undefined} Child */

/**
 * An element that is built only when its stamp has changed since it was drawn.
 * @typedef {{ key: string, stamp: string, build: () => Element }} Later
 */

/** The stamps of elements. @type {WeakMap<Node, string>} */
const stamps = new WeakMap();

/**
 * An element. Attributes that begin with `on` are listeners; those that are null or false are left out.
 * `key` tells which of several siblings an element is.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {(Child | Child[])[]} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) /** @type {any} */ (element)[name] = value;
    else if (name === "value" || name === "checked") /** @type {any} */ (element)[name] = value;
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child) element.append(child);
  }
  return element;
}

/** How many elements of lists are built anew by a drawing: a slow phone shows these at once, and the others right after. */
const BUILDS = 20;

/**
 * What a drawing may still build.
 * @typedef {{ left: number, isWhole: boolean }} Budget
 */

/**
 * Draws the children of an element. False: some elements of lists are still as they were, for the next drawing.
 * @param {Element} parent
 * @param {(Node | Later)[]} wanted
 */
export function drawInto(parent, wanted) {
  const budget = { left: BUILDS, isWhole: true };
  show(parent, wanted, budget);
  return budget.isWhole;
}

/**
 * Makes the children of an element like these. Elements that stay keep the focus and what is being typed.
 * @param {Element} parent
 * @param {(Node | Later)[]} wanted
 * @param {Budget} budget
 */
function show(parent, wanted, budget) {
  const keyed = new Map([...parent.children].flatMap((child) => {
    const key = child.getAttribute("key");
    return key === null ? [] : [[key, child]];
  }));
  let at = parent.firstChild;
  for (const want of wanted) {
    const key = want instanceof Node ? (want instanceof Element ? want.getAttribute("key") : null) : want.key;
    const known = key === null ? at : keyed.get(key) ?? null;
    const isKnownLater = known !== null && !(want instanceof Node);
    const isDrawn = isKnownLater && stamps.get(known) === want.stamp;
    const isSpared = isKnownLater && !isDrawn && budget.left === 0;
    if (isSpared) budget.isWhole = false;
    if (isDrawn || isSpared) {
      if (known === at) at = at.nextSibling;
      else parent.insertBefore(known, at);
      continue;
    }
    if (isKnownLater) budget.left -= 1;
    const next = want instanceof Node ? want : want.build();
    const isKept = known && isSame(known, next);
    if (isKept) {
      if (known === at) at = at.nextSibling;
      else parent.insertBefore(known, at);
      update(known, next, budget);
    } else {
      parent.insertBefore(next, at);
      if (next instanceof Element) fill(next, budget);
    }
    if (!(want instanceof Node)) stamps.set(isKept ? known : next, want.stamp);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** The children of elements that are built later. @type {WeakMap<Element, Later[]>} */
const lists = new WeakMap();

/**
 * An element whose children are built only when they have changed.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {Later[]} children
 */
export function listOf(tag, attributes, children) {
  const element = h(tag, { "data-list": true, ...attributes });
  lists.set(element, children);
  return element;
}

/**
 * Builds the children of the lists in a new element.
 * @param {Element} element
 * @param {Budget} budget
 */
function fill(element, budget) {
  for (const list of [element, ...element.querySelectorAll("[data-list]")]) {
    const children = lists.get(list);
    if (children) show(list, children, budget);
  }
}

/**
 * @param {Node} known
 * @param {Node} next
 */
function isSame(known, next) {
  if (known.nodeName !== next.nodeName) return false;
  return !(known instanceof Element && next instanceof Element) || known.getAttribute("key") === next.getAttribute("key");
}

/** The listeners that elements of the page have. */
const LISTENERS = /** @type {const} */ (["onblur", "onclick", "onchange", "oninput", "onsubmit", "ontoggle"]);

/**
 * @param {Node} known
 * @param {Node} next
 * @param {Budget} budget
 */
function update(known, next, budget) {
  if (!(known instanceof HTMLElement && next instanceof HTMLElement)) {
    if (known.nodeValue !== next.nodeValue) known.nodeValue = next.nodeValue;
    return;
  }
  for (const { name } of [...known.attributes]) {
    // The person opens and closes these.
    if (!next.hasAttribute(name) && !(name === "open" && known.tagName === "DETAILS")) known.removeAttribute(name);
  }
  for (const { name, value } of [...next.attributes]) {
    if (known.getAttribute(name) !== value) known.setAttribute(name, value);
  }
  for (const listener of LISTENERS) known[listener] = /** @type {any} */ (next[listener]);
  if (known instanceof HTMLInputElement && next instanceof HTMLInputElement && known.type !== "file") {
    if (known.checked !== next.checked) known.checked = next.checked;
    if (document.activeElement !== known && known.value !== next.value) known.value = next.value;
  }
  if (known instanceof HTMLTextAreaElement && next instanceof HTMLTextAreaElement) {
    if (document.activeElement !== known && known.value !== next.value) known.value = next.value;
  }
  show(known, lists.get(next) ?? [...next.childNodes], budget);
}

/**
 * A dialog, until it is closed. Fulfilled with what `close` was called with; null: cancelled.
 * @template T
 * @param {string} heading
 * @param {(close: (value: T | null) => void) => Child[]} content
 * @returns {Promise<T | null>}
 */
export function ask(heading, content) {
  return new Promise((resolve) => {
    /** @type {T | null} */
    let value = null;
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { "aria-labelledby": "asked" }, h("h2", { id: "asked" }, heading)));
    dialog.append(...content((chosen) => { value = chosen; dialog.close(); }).filter((child) => child instanceof Node));
    dialog.onclose = () => {
      dialog.remove();
      resolve(value);
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}
