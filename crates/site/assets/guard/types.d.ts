// The types of the guard's page. JSDoc comments name them; browsers never load this file.

/** The kind of value that an action asks for. */
export type ActionType = "BOOLEAN" | "NUMBER" | "TEXT" | "MEDIA";

/** How far a round, a step or an action is. */
export type State = "PENDING" | "IN_PROGRESS" | "COMPLETED";

/** An action of a record, as the API writes it. */
export interface Action {
  id: string; name: string; type: ActionType; required: boolean; state: State;
  minValue: number | null; maxValue: number | null;
  booleanValue: boolean | null; numberValue: number | null; textValue: string | null; mediaIds: string[] | null;
}

/** A step of a record, as the API writes it. */
export interface Step { id: string; name: string; pointId: string | null; state: State; actions: Action[] }

/** A task execution, as the API writes it. */
export interface Execution {
  id: string; name: string; description: string | null; locationId: string; state: State; published: boolean;
  startAt: string; endAt: string; performerId: string | null; assigneeIds: string[]; steps: Step[];
  orderStepsRequired: boolean; strictTimeRequired: boolean;
}

/** What the page needs of a point. */
export interface Point { id: string; name: string; type: string; qrCode: string | null; rfidCode: string | null }

/** A round as the phone keeps it: all that is needed to walk it without a network. */
export interface Round {
  id: string; record: Execution; etag: string | null; location: string; points: Record<string, Point>;
  /** Whether the service has deleted it; it stays as long as entries of it do. */
  isGone?: boolean;
}

/** The position of the phone, in degrees and metres. */
export interface Position { latitude: number; longitude: number; accuracy: number }

/** An entry of a report, as the API reads it. */
export interface Entry {
  id: string; type: "START" | "SCAN" | "RESULT" | "FINISH_STEP" | "NOTE" | "COMPLETE"; at: string;
  position?: Position; stepId?: string; actionId?: string; technology?: string; code?: string | null;
  booleanValue?: boolean; numberValue?: number; textValue?: string; mediaIds?: string[];
}

/** Why the service did not accept an entry. */
export interface Refusal { code: string; message: string }

/** An entry in the queue. */
export interface Item {
  /** The place in the queue; given by the store. */
  seq: number;
  userId: string; userName: string; roundId: string; roundName: string; entry: Entry;
  /** Until when (milliseconds of the epoch) the entry may still get a position; 0: no longer. */
  hold: number;
  /** Whether a request with the entry was begun. From then on the entry never changes. */
  tried: boolean;
  /** Null while the entry waits. */
  refusal: Refusal | null;
}

/** A picture, recording or document of an entry. */
export interface Medium {
  id: string;
  /** The file; null once the service has it and no entry that waits names it. */
  blob: Blob | null;
  /** A small picture of it; null when the browser cannot make one. */
  thumb: Blob | null;
  /** Whether the service has it. */
  sent: boolean;
}

/** Who uses the phone. */
export interface Person { userId: string; name: string; role: string; language: string; csrf: string }

/** An answer of the service. Status 0: there was none, or it was not one of the service. */
export interface Answer { status: number; body: any; etag?: string | null; retryAfter?: number }

/** What the status line is made from. */
export interface Sending { isSending: boolean; isOffline: boolean; mustSignIn: boolean }
