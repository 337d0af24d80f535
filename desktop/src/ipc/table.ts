// IPC table: all requests of the window and all pushes of the program, with their schemas. Types, dispatch and the window's
// functions derive from it: a new request is a line here and its function in main/handlers.ts. Both sides reject what the
// table does not define.
import { passkeyAssertion, passkeyAttestation, secondFactorProof } from '@recordproof/shared/api/factor-proofs.ts';
import { z } from 'zod';
import * as shape from './shapes.ts';

const nothing = z.undefined();
const done = z.void();
const id = z.string().min(1).max(64);
const text = z.string().max(4096);
const path = z.string().min(1).max(32_768);
const password = z.string().max(128);

/** State of the program: part of the snapshot, and pushed on each change. */
export const states = {
  serverUrl: z.string(),
  session: shape.sessionState,
  feed: shape.feedState,
  uploads: z.array(shape.upload).readonly(),
  downloads: z.array(shape.download).readonly(),
  servers: z.array(shape.savedServer).readonly(),
  settings: shape.shellSettings,
};
const snapshot = z.object({ ...states, canKeepTokens: z.boolean(), version: z.string() });
export type Snapshot = z.infer<typeof snapshot>;

const request = <I extends z.ZodType, A extends z.ZodType>(input: I, answer: A) => ({ input, answer });

export const requests = {
  program: {
    snapshot: request(nothing, snapshot),
    callServer: request(z.object({ endpoint: id, input: z.record(z.string(), z.unknown()) }), z.unknown()),
    copyText: request(z.string().max(1_000_000), done),
  },
  session: {
    signIn: request(z.object({ username: text, password, stay: z.boolean() }), done),
    /** The next step after a `signIn` that was rejected with SECOND_FACTOR_REQUIRED. */
    giveFactor: request(z.object({ challenge: id, proof: secondFactorProof, stay: z.boolean() }), done),
    signInWithPasskey: request(z.object({ credential: passkeyAssertion, stay: z.boolean() }), done),
    /** The next step after one that was rejected with SECOND_FACTOR_ENROLMENT; `finishSignIn` comes after it. */
    enrol: request(
      z.union([z.object({ challenge: id, code: text }), z.object({ challenge: id, credential: passkeyAttestation })]),
      z.object({ recoveryCodes: z.array(z.string()) }),
    ),
    finishSignIn: request(z.object({ stay: z.boolean() }), done),
    /** Through a provider: in a browser the page goes there, the desktop app opens the browser of the system. */
    signInThrough: request(z.object({ provider: text, stay: z.boolean(), returnTo: text }), done),
    /** Signs in again at the provider where the session began, in a page of its own. The session is fresh afterwards. */
    stepUpThroughProvider: request(nothing, done),
    /** With the one-time link of an administrator. */
    signInByLink: request(z.object({ code: text }), done),
    signOut: request(z.object({ everywhere: z.boolean() }), done),
    /** Retries after `unreachable`. */
    restore: request(nothing, done),
    /** After a change of the profile. */
    reload: request(nothing, done),
    /** This session continues, every other one of the account ends. */
    changePassword: request(z.object({ oldPassword: password, newPassword: password }), done),
  },
  uploads: {
    add: request(
      z.object({
        files: z.array(z.object({ path, folder: text.nullable() })).max(100_000),
        targetFileId: id.optional(),
      }),
      done,
    ),
    pause: request(id, done),
    /** Continues an upload that is paused or has failed. */
    resume: request(id, done),
    /** At the server too. */
    cancel: request(id, done),
    supply: request(z.object({ id, paths: z.array(path).min(1).max(1000) }), done),
    /** Removes finished uploads from the list. */
    clear: request(nothing, done),
  },
  downloads: {
    /** Asks where to save, if it can. Does nothing when the person cancels that. */
    start: request(shape.downloadRequest, done),
    pause: request(id, done),
    resume: request(id, done),
    cancel: request(id, done),
    clear: request(nothing, done),
    /** The verified bytes of a small file, for a preview. Rejects with TransferError `wrong-bytes` where the hash differs. */
    read: request(
      z.object({
        source: shape.fileSource,
        maxBytes: z
          .int()
          .min(1)
          .max(64 * 1024 * 1024),
      }),
      z.instanceof(Uint8Array<ArrayBuffer>),
    ),
    /** The proof of a stored file with its vouchers, for a check. */
    readProof: request(id, z.instanceof(Uint8Array<ArrayBuffer>)),
    /** A picture whose path is in a message. It has no proof. */
    readPicture: request(text, shape.picture),
  },
  shell: {
    /** Also makes it the current one. Rejects when no RecordProof server answers there. */
    addServer: request(text, done),
    chooseServer: request(id, done),
    removeServer: request(id, done),
    changeSettings: request(
      z.object({
        startsWithSystem: z.boolean().optional(),
        notices: shape.noticeSettings.optional(),
        closesToTray: z.boolean().optional(),
        language: z.enum(['en', 'zh']).optional(),
      }),
      done,
    ),
    /** Shows a downloaded file in its folder. */
    showDownload: request(id, done),
  },
};

export const pushes = {
  ...states,
  /** A message of the server, unparsed: the window checks its schema. */
  event: z.object({ data: z.string(), id: z.string().optional() }),
  link: shape.deepLink,
};

type Table = typeof requests;
type Group = keyof Table;
type Definition = { readonly input: z.ZodType; readonly answer: z.ZodType };
type Call<D extends Definition> =
  undefined extends z.output<D['input']>
    ? (input?: undefined, signal?: AbortSignal) => Promise<z.output<D['answer']>>
    : (input: z.output<D['input']>, signal?: AbortSignal) => Promise<z.output<D['answer']>>;

/** A function for each request: main implements them, the window calls them. */
export type Requests = {
  readonly [G in Group]: {
    readonly [N in keyof Table[G]]: Table[G][N] extends Definition ? Call<Table[G][N]> : never;
  };
};

export type PushName = keyof typeof pushes;
export type Pushed<N extends PushName> = z.output<(typeof pushes)[N]>;
/** Sends to every window. */
export type Push = <N extends PushName>(name: N, value: Pushed<N>) => void;

export type AnyCall = (input: unknown, signal?: AbortSignal) => Promise<unknown>;

/** An object in the form of the table, with `make(name)` for each request, as `make('uploads.pause')`. */
export function mapRequests(make: (name: string, definition: Definition) => AnyCall): Requests {
  const toGroup = ([group, members]: [string, Readonly<Record<string, Definition>>]) =>
    [
      group,
      Object.fromEntries(Object.entries(members).map(([key, one]) => [key, make(`${group}.${key}`, one)])),
    ] as const;
  return Object.fromEntries(Object.entries(requests).map(toGroup)) as Requests;
}

/** Each function by its name, as `uploads.pause`. */
export const nameRequests = (from: Requests): ReadonlyMap<string, AnyCall> =>
  new Map(
    Object.entries(from).flatMap(([group, members]) =>
      Object.entries(members).map(([key, call]) => [`${group}.${key}`, call as AnyCall] as const),
    ),
  );
