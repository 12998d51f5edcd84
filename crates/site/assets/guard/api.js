// The service, as this page calls it: the cookie of the session, and a CSRF token in a header. Each call is given the
// token: should another person sign in, what was begun for the last one is refused, not sent in the name of the next.

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Entry} Entry */

/** How long an answer may take, in milliseconds; an upload has longer. */
const PATIENCE = 30_000;
const UPLOAD_PATIENCE = 600_000;
/** The next person waits for the end of a session. */
const SIGN_OUT_PATIENCE = 10_000;

/** The longest wait that the service may ask for, in milliseconds: a timer takes no more than 24 days. */
const MOST_WAIT = 3600_000;

/** @type {Answer} */
const NONE = { status: 0, body: null };
const TOO_LARGE = { code: "payload.too.large", message: "too large" };

/** The operations. An answer that is not one of the service counts as none. */
export class Api {
  /** How far the clock of this device is ahead of that of the service, in milliseconds, to about a second. */
  ahead = 0;

  /**
   * @param {string | null} csrf
   * @param {string} path
   * @param {RequestInit & { patience?: number }} [options]
   * @returns {Promise<Answer>}
   */
  async #call(csrf, path, { patience = PATIENCE, headers, ...options } = {}) {
    try {
      const answer = await fetch(path, {
        cache: "no-store", credentials: "same-origin", redirect: "error", signal: AbortSignal.timeout(patience),
        headers: { ...(csrf === null ? {} : { "Patrol-CSRF": csrf }), ...headers }, ...options,
      });
      this.ahead = Date.now() - Date.parse(answer.headers.get("Date") ?? "") || 0;
      const etag = answer.headers.get("ETag");
      if (answer.status === 304) return { status: 304, body: null, etag };
      // A proxy refuses large bodies with a page of its own.
      if (answer.status === 413) return { status: 413, body: TOO_LARGE };
      // A network that asks its visitors to sign in answers with a page, too.
      if (!answer.headers.get("Content-Type")?.startsWith("application/json")) return NONE;
      const retryAfter = Math.min(Number(answer.headers.get("Retry-After")) * 1000 || 0, MOST_WAIT);
      return { status: answer.status, body: await answer.json(), etag, retryAfter };
    } catch {
      return NONE;
    }
  }

  /** Who is signed in. @param {number} [patience] In milliseconds. */
  session(patience) {
    return this.#call(null, "/guard/session", { patience });
  }

  /**
   * Ends the session. True when it is over.
   * @param {string} csrf
   */
  async signOut(csrf) {
    try {
      const answer = await fetch("/sign-out", {
        method: "POST", redirect: "manual", signal: AbortSignal.timeout(SIGN_OUT_PATIENCE), body: new URLSearchParams({ token: csrf }),
      });
      // 403: the session is another one by now, which is not the one to end.
      return answer.type === "opaqueredirect" || answer.status === 403;
    } catch {
      return false;
    }
  }

  /**
   * @param {string} csrf
   * @param {string} roundId
   * @param {Entry[]} entries
   */
  report(csrf, roundId, entries) {
    const headers = { "Content-Type": "application/json" };
    return this.#call(csrf, `/v1/task-executions/${roundId}/reports`, { method: "POST", headers, body: JSON.stringify(entries) });
  }

  /**
   * @param {string} csrf
   * @param {string} id
   * @param {Blob} blob
   */
  sendMedium(csrf, id, blob) {
    const body = new FormData();
    body.append("id", id);
    body.append("file", blob, "file");
    return this.#call(csrf, "/v1/media", { method: "POST", patience: UPLOAD_PATIENCE, body });
  }

  /**
   * A file that was sent before; null when it cannot be had now.
   * @param {string} csrf
   * @param {string} id
   */
  async file(csrf, id) {
    try {
      const answer = await fetch(`/v1/media/${id}/file`, { cache: "no-store", headers: { "Patrol-CSRF": csrf }, redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
      return answer.ok && answer.headers.get("Content-Type")?.startsWith("image/") ? await answer.blob() : null;
    } catch {
      return null;
    }
  }

  /**
   * Reads a record.
   * @param {string} csrf
   * @param {string} path
   * @param {string | null} [etag] That of the record which is known.
   */
  get(csrf, path, etag) {
    return this.#call(csrf, `/v1/${path}`, { headers: etag ? { "If-None-Match": etag } : {} });
  }

  /**
   * The QR codes in a picture; null when the service does not answer.
   * @param {string} csrf
   * @param {Blob} picture
   * @returns {Promise<string[] | null>}
   */
  async codes(csrf, picture) {
    const { status, body } = await this.#call(csrf, "/guard/codes", { method: "POST", headers: { "Content-Type": picture.type }, body: picture });
    return status === 200 && Array.isArray(body?.codes) ? body.codes : null;
  }
}
