// Bridge: the only interface through which the renderer reaches a server, files of this machine and transfers. A browser
// (bridge/browser) and the main process of the desktop app implement it. Its data can be structured-cloned; endpoints
// are passed by name.
// Failures are ApiError, TransportError or TransferError, on whichever side they arose.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { PdfReader } from '@recordproof/shared/browser/pdf-reader.ts';
import type { OpenMedia } from '@recordproof/shared/browser/viewer/viewed-file.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import type { AnsweredExistence } from '@recordproof/verifier/web/client/messages.ts';
import type { z } from 'zod';
import type * as shape from '../ipc/shapes.ts';
import type { Requests } from '../ipc/table.ts';
import type { NoticeSettings } from './notices.ts';

/** A value that changes. `get` returns the same object until then. */
export type Watched<T> = {
  readonly get: () => T;
  /** Calls back after each change, until the function that it returns is called. */
  readonly watch: (changed: () => void) => () => void;
};

export type Bridge = {
  readonly capabilities: Capabilities;
  readonly session: SessionBridge;
  /** A call to the server of the session. Repeated once with a new token after a 401. */
  readonly call: Client['call'];
  readonly events: EventsBridge;
  readonly uploads: UploadsBridge;
  readonly downloads: DownloadsBridge;
  /** On this machine. An aborted verification rejects with the reason of the signal. */
  verify(request: VerifyRequest): Promise<Verified>;
  copyText(text: string): Promise<void>;
  readonly thumbnails: ThumbnailsBridge;
  /** An address that a media element plays, for audio and video. */
  openMedia(file: PlayedFile, signal: AbortSignal): Promise<OpenMedia>;
  /** In a worker of its own, until the caller closes it. */
  openPdf(bytes: Uint8Array<ArrayBuffer>): PdfReader;
  /** Null without a notification API. */
  readonly notices: NoticesBridge | null;
  /** Files that other apps have shared with the installed app; null in the desktop app. */
  readonly sharedFiles: SharedFiles | null;
  /** Null in a browser. */
  readonly shell: ShellBridge | null;
};

/** Nothing is uploaded before the user confirms. */
export type SharedFiles = { read(): Promise<readonly File[]>; forget(): Promise<void> };

export type ThumbnailsBridge = {
  /** Address of a blob; undefined until it is known, null where there is none. Read while it is watched. */
  shown(fileHash: string): Watched<string | null | undefined>;
  /** A file that is stored or shown for the first time, or a frame of it. */
  offer(fileHash: string, source: Blob | ImageBitmap): void;
};

export type PlayedFile = { readonly source: FileSource; readonly fileSize: number; readonly contentType: string };

/** Features that not every implementation has. */
type Capabilities = {
  /** Transfers continue when the window is closed. */
  readonly keepsTransfersRunning: boolean;
  /** With handles of its files an upload continues by itself after a reload. */
  readonly wantsHandles: boolean;
  /** Downloads go to a path that the person chooses, and may be larger than memory. */
  readonly choosesWhereToSave: boolean;
};

type Data<T extends z.ZodType> = Readonly<z.output<T>>;

export type Account = Data<typeof shape.account>;
export type SessionState = Data<typeof shape.sessionState>;

export type SessionBridge = Requests['session'] & {
  readonly state: Watched<SessionState>;
  readonly serverUrl: () => string;
};

export type FeedState = Data<typeof shape.feedState>;

/** The event stream of the signed-in person; it reconnects after outages. */
export type EventsBridge = {
  readonly state: Watched<FeedState>;
  /** `connected` with `missed`: reload what is shown. */
  listen(hear: (event: ServerEvent) => void): () => void;
};

export type TransferState = Data<typeof shape.transferState>;

export type Failure = Data<typeof shape.failure>;
export type Outcome = Data<typeof shape.outcome>;

export type Upload = Data<typeof shape.upload>;

/** A file that was chosen or dropped. */
export type ChosenFile = {
  readonly file: File;
  /** Relative, in the form of the server's paths. */
  readonly folder: string | null;
  /** Where the browser gave one. */
  readonly handle: FileHandle | null;
};

/** With it a browser opens the file again after a reload. */
type FileHandle = {
  readonly file: FileSystemFileHandle;
  /** The file or folder whose permission is requested. */
  readonly chosen: FileSystemHandle;
};

export type UploadsBridge = Omit<Requests['uploads'], 'add' | 'supply'> & {
  /** The newest last. */
  readonly list: Watched<readonly Upload[]>;
  add(files: readonly ChosenFile[], options?: { readonly targetFileId?: string }): Promise<void>;
  /** All files of the upload again; rejects with TransferError `source-changed` when one is missing or differs. */
  supply(id: string, chosen: readonly ChosenFile[]): Promise<void>;
};

export type FileSource = Data<typeof shape.fileSource>;
export type DownloadRequest = Data<typeof shape.downloadRequest>;
export type ProofForm = z.output<typeof shape.proofForm>;
export type Download = Data<typeof shape.download>;
export type DownloadsBridge = Requests['downloads'] & { readonly list: Watched<readonly Download[]> };
export type Picture = Data<typeof shape.picture>;

/** `existence`: where evidence of the time of the file was given. */
export type Verified = { readonly report: VerificationReport; readonly existence?: AnsweredExistence };

type VerifyRequest = {
  readonly original: File;
  readonly proof: File;
  readonly trustedKey?: File;
  /** Vouchers and files of trusted parties, in any order. */
  readonly evidence?: readonly File[];
  readonly language: Language;
  /** Requests the issuer key (without `trustedKey`), the status and the chain root. Otherwise nothing is sent. */
  readonly asksServer?: boolean;
  readonly onProgress?: (read: number, size: number) => void;
  readonly signal?: AbortSignal;
};

/** Notifications of the system while the window is not focused. */
export type NoticesBridge = {
  readonly settings: Watched<NoticeSettings>;
  /** Denied by the person or the system. */
  readonly isDenied: Watched<boolean>;
  change(change: Partial<NoticeSettings>): Promise<void>;
};

/** Features of the desktop app alone. */
export type ShellBridge = Requests['shell'] & {
  /** Name and version of the program. */
  readonly version: string;
  readonly servers: Watched<readonly SavedServer[]>;
  readonly settings: Watched<ShellSettings>;
  /** Whether the system can store a token safely; otherwise people sign in at each start. */
  readonly canKeepTokens: boolean;
  /** A link that the system handed over. */
  onLink(open: (link: DeepLink) => void): () => void;
};

export type SavedServer = Data<typeof shape.savedServer>;
export type ShellSettings = Data<typeof shape.shellSettings>;
export type DeepLink = Data<typeof shape.deepLink>;
