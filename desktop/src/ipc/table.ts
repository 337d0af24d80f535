// Everything that the window may ask of the program, and all that the program tells it. What does not stand here does not
// pass: the preload knows no other channel, and both ends check what comes by these schemas.
import { z } from 'zod';
import type { PushName, RequestName } from './names.ts';
import * as shape from './shapes.ts';

const nothing = z.undefined();
const done = z.void();
const id = z.string().min(1).max(64);
const text = z.string().max(4096);
const path = z.string().min(1).max(32_768);
const password = z.string().max(128);

/** What the window shows first. */
const snapshot = z.object({
  serverUrl: z.string(),
  session: shape.sessionState,
  feed: shape.feedState,
  uploads: z.array(shape.upload).readonly(),
  downloads: z.array(shape.download).readonly(),
  servers: z.array(shape.savedServer).readonly(),
  settings: shape.shellSettings,
  canKeepTokens: z.boolean(),
  version: z.string(),
});

export type Snapshot = z.infer<typeof snapshot>;

const ask = <I extends z.ZodType, A extends z.ZodType>(input: I, answer: A) => ({ input, answer });

export const requests = {
  'program.look': ask(nothing, snapshot),
  /** `call`: a number of the window's, by which it can be given up. */
  'server.call': ask(z.object({ call: id, endpoint: id, input: z.record(z.string(), z.unknown()) }), z.unknown()),
  'call.giveUp': ask(z.object({ call: id }), done),
  'session.signIn': ask(z.object({ username: text, password, stay: z.boolean() }), done),
  'session.signOut': ask(z.object({ everywhere: z.boolean() }), done),
  'session.restore': ask(nothing, done),
  'session.reload': ask(nothing, done),
  'session.changePassword': ask(z.object({ oldPassword: password, newPassword: password }), done),
  'uploads.add': ask(
    z.object({
      files: z.array(z.object({ path, folder: text.nullable() })).max(100_000),
      targetFileId: id.optional(),
    }),
    done,
  ),
  'uploads.pause': ask(z.object({ id }), done),
  'uploads.resume': ask(z.object({ id }), done),
  'uploads.cancel': ask(z.object({ id }), done),
  'uploads.supply': ask(z.object({ id, paths: z.array(path).min(1).max(1000) }), done),
  'uploads.clear': ask(nothing, done),
  'downloads.start': ask(z.object({ wanted: shape.wanted }), done),
  'downloads.pause': ask(z.object({ id }), done),
  'downloads.resume': ask(z.object({ id }), done),
  'downloads.cancel': ask(z.object({ id }), done),
  'downloads.clear': ask(nothing, done),
  'downloads.show': ask(z.object({ id }), done),
  'downloads.read': ask(
    z.object({
      call: id,
      fileHash: shape.hash,
      maxBytes: z
        .int()
        .min(1)
        .max(64 * 1024 * 1024),
    }),
    z.instanceof(Uint8Array<ArrayBuffer>),
  ),
  'downloads.readPicture': ask(z.object({ call: id, path: text }), shape.picture),
  'servers.add': ask(z.object({ url: text }), done),
  'servers.choose': ask(z.object({ id }), done),
  'servers.remove': ask(z.object({ id }), done),
  'settings.change': ask(
    z.object({
      startsWithSystem: z.boolean().optional(),
      notices: shape.noticeSettings.optional(),
      closesToTray: z.boolean().optional(),
      language: z.enum(['en', 'zh']).optional(),
    }),
    done,
  ),
  'clipboard.write': ask(z.object({ text: z.string().max(1_000_000) }), done),
} as const satisfies Readonly<Record<RequestName, unknown>>;

export const pushes = {
  session: shape.sessionState,
  feed: shape.feedState,
  serverUrl: z.string(),
  /** The message as it came from the server: its contract is checked where it is heard. */
  event: z.object({ data: z.string(), id: z.string().optional() }),
  uploads: z.array(shape.upload).readonly(),
  downloads: z.array(shape.download).readonly(),
  servers: z.array(shape.savedServer).readonly(),
  settings: shape.shellSettings,
  link: shape.deepLink,
} as const satisfies Readonly<Record<PushName, unknown>>;

export type InputOf<N extends RequestName> = z.output<(typeof requests)[N]['input']>;
export type AnswerTo<N extends RequestName> = z.output<(typeof requests)[N]['answer']>;
export type Pushed<N extends PushName> = z.output<(typeof pushes)[N]>;

/** What the program does about each request. */
export type Handlers = { readonly [N in RequestName]: (input: InputOf<N>) => Promise<AnswerTo<N>> };

/** How the program tells all windows. */
export type Tell = <N extends PushName>(name: N, value: Pushed<N>) => void;
