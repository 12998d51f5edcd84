// What the phone can do: position, camera, tags, vibration, and small pictures of large ones.

import { HOLD } from "./rules/queue.js";

/** @typedef {import("./types.js").Position} Position */

/** How old a position may be, in milliseconds. */
const FRESH = 30_000;

/** How often a picture of the camera is looked at, in milliseconds. */
const LOOK_EVERY = 250;

/** The width of the pictures that the service looks for codes in, in pixels. */
const LOOK_WIDTH = 1280;

/** The longer side of a small picture, in pixels. */
const THUMB = 192;

/** A new id. Without HTTPS a browser has random bytes only. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

let mayLocate = "geolocation" in navigator;

/** Whether the phone may give a position. */
export function canLocate() {
  return mayLocate;
}

/** @returns {Promise<Position | null>} The position, or null when there is none within 5 s. */
export function locate() {
  return new Promise((resolve) => {
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) => resolve({ latitude, longitude, accuracy }),
      ({ code }) => {
        if (code === GeolocationPositionError.PERMISSION_DENIED) mayLocate = false;
        resolve(null);
      },
      { enableHighAccuracy: true, timeout: HOLD, maximumAge: FRESH },
    );
  });
}

/** @param {"taken" | "wrong"} what */
export function vibrate(what) {
  navigator.vibrate?.(what === "taken" ? 60 : [80, 80, 80]);
}

/**
 * Shows the camera in `video` and looks for a QR code, until one is found or the signal says stop.
 * @param {HTMLVideoElement} video
 * @param {AbortSignal} signal
 * @param {(picture: Blob) => Promise<string[] | null>} codesIn Finds codes where the browser cannot.
 * @returns {Promise<string | null>} Null when it was stopped.
 */
export async function scan(video, signal, codesIn) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: LOOK_WIDTH } } });
  try {
    video.srcObject = stream;
    await video.play();
    const detector = await barcodeDetector();
    while (!signal.aborted) {
      const codes = detector ? (await detector.detect(video)).map(({ rawValue }) => rawValue) : await codesIn(await picture(video));
      if (codes?.length && !signal.aborted) return codes[0];
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  }
}

/** @returns {Promise<{ detect(video: HTMLVideoElement): Promise<{ rawValue: string }[]> } | null>} */
async function barcodeDetector() {
  const { BarcodeDetector } = /** @type {any} */ (window);
  const formats = (await BarcodeDetector?.getSupportedFormats()) ?? [];
  return formats.includes("qr_code") ? new BarcodeDetector({ formats: ["qr_code"] }) : null;
}

/**
 * @param {HTMLVideoElement} video
 * @returns {Promise<Blob>}
 */
function picture(video) {
  return drawn(video, video.videoWidth, video.videoHeight, LOOK_WIDTH);
}

/**
 * A small picture of a file; null when the browser cannot show it.
 * @param {Blob} file
 */
export async function thumbnail(file) {
  try {
    const bitmap = await createImageBitmap(file);
    return await drawn(bitmap, bitmap.width, bitmap.height, THUMB);
  } catch {
    return null;
  }
}

/**
 * @param {CanvasImageSource} source
 * @param {number} width
 * @param {number} height
 * @param {number} longest
 * @returns {Promise<Blob>}
 */
function drawn(source, width, height, longest) {
  const scale = Math.min(1, longest / Math.max(width, height, 1));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(source, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", 0.8);
  });
}

/** Whether the browser reads tags. */
export function canReadTags() {
  return "NDEFReader" in window;
}

/**
 * Waits for a tag.
 * @param {AbortSignal} signal
 * @returns {Promise<string[] | null>} Its serial number and its first text; null when it was stopped.
 */
export function readTag(signal) {
  return new Promise((resolve, reject) => {
    const reader = new (/** @type {any} */ (window).NDEFReader)();
    signal.addEventListener("abort", () => resolve(null));
    reader.onreading = (/** @type {any} */ { serialNumber, message }) => {
      const text = message.records.find((/** @type {any} */ { recordType }) => recordType === "text");
      resolve(text ? [serialNumber, new TextDecoder(text.encoding).decode(text.data)] : [serialNumber]);
    };
    reader.scan({ signal }).catch(reject);
  });
}
