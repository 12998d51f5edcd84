// Copy, Print, the dialog, lists of several values, unsaved forms, second presses and the addresses of filters. Every page works without this file.
"use strict";

for (const button of document.querySelectorAll("button[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without HTTPS there is no clipboard API. The text is selected, so that it can be copied by hand.
      if (!document.execCommand("copy")) return;
    }
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

for (const element of document.querySelectorAll("[data-print]")) {
  element.addEventListener("click", (event) => {
    event.preventDefault();
    print();
  });
}

const dialog = document.getElementById("revoke");
if (dialog && dialog.showModal) {
  for (const form of document.querySelectorAll("form[data-ask]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const target = new URL(form.action);
      target.search = new URLSearchParams(new FormData(form)).toString();
      dialog.querySelector("form").action = target;
      dialog.querySelector("h2").textContent = form.dataset.ask;
      dialog.showModal();
    });
  }
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
}

// In a list of several values a click chooses one or removes it, and leaves the others.
for (const list of document.querySelectorAll("select[multiple]")) {
  list.addEventListener("mousedown", (event) => {
    const option = event.target;
    if (!(option instanceof HTMLOptionElement) || event.button !== 0) return;
    event.preventDefault();
    const { scrollTop } = list;
    option.selected = !option.selected;
    list.focus({ preventScroll: true });
    list.scrollTop = scrollTop;
    list.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// What was entered and not saved is not left without a question.
const record = document.querySelector("form[data-unsaved]");
if (record) {
  const ask = (event) => event.preventDefault();
  const entered = () => addEventListener("beforeunload", ask);
  const done = () => removeEventListener("beforeunload", ask);
  if (record.dataset.unsaved === "true") entered();
  record.addEventListener("input", entered);
  record.addEventListener("change", entered);
  record.addEventListener("submit", done);
  record.querySelector("[data-cancel]").addEventListener("click", done);
}

// A second press while the answer to the first is awaited is no second wish: it would make another record.
const PATIENCE = 3000;
let sentAt = -PATIENCE;
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  if (event.timeStamp - sentAt < PATIENCE) event.preventDefault();
  else sentAt = event.timeStamp;
});
addEventListener("pageshow", () => { sentAt = -PATIENCE; });

// An address names what somebody has chosen: a board that was filtered today is that of tomorrow after midnight.
const asked = new URLSearchParams(location.search);
for (const form of document.querySelectorAll("form.filters[action='/rounds']")) {
  form.addEventListener("formdata", ({ formData }) => {
    for (const { name, type, value, defaultValue } of form.elements) {
      const isUntouched = type === "date" && value === defaultValue && !asked.has(name);
      if (value === "" || isUntouched) formData.delete(name);
    }
  });
}

// Pages show times in the zone of the browser until the reader chooses another.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && /^[A-Za-z0-9_+/-]+$/.test(zone)) {
  document.cookie = `patrol_browser_zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax`;
}
