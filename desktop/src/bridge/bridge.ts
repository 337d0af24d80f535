// The one thing that the renderer knows of the world: a server, files of this machine, transfers. Two programs are behind
// it: a browser (bridge/browser), and the desktop's main process. All that passes can be cloned, but for the endpoints, which
// go by their names. Failures are ApiError, TransportError or TransferError, on whichever side they arose.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import type { ImageType } from '@recordproof/shared/api/images.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import type { NoticeSettings } from './notices.ts';

/** A value that changes. `get` answers with the same object until it has changed. */
export type Watched<T> = {
  readonly get: () => T;
  /** Calls back after each change, until the function that it returns is called. */
  readonly watch: (changed: () => void) => () => void;
};

export type Bridge = {
  readonly capabilities: Capabilities;
  readonly session: SessionBridge;
  /** A call to the server of the session, with its token; once more with a fresh one when that has expired. */
  readonly call: Client['call'];
  readonly events: EventsBridge;
  readonly uploads: UploadsBridge;
  readonly downloads: DownloadsBridge;
  /** The engine, on this machine. The rejection of an aborted one is the signal's reason. */
  verify(wish: VerifyWish): Promise<VerificationReport>;
  copyText(text: string): Promise<void>;
  /** In a worker of its own: whoever opens it closes it. */
  openPdf(bytes: Uint8Array<ArrayBuffer>): PdfReader;
  /** Null where there is no way to show one. */
  readonly notices: NoticesBridge | null;
  /** Null in a browser. */
  readonly shell: ShellBridge | null;
};

/** Each call rejects where the bytes cannot be shown, or take too long. */
export type PdfReader = {
  countPages(): Promise<number>;
  /** Pages count from 1. */
  draw(page: number): Promise<ImageBitmap>;
  close(): void;
};

/** What only some of them can do: the interface asks, and says what is so. */
type Capabilities = {
  /** Transfers go on when the window is closed. */
  readonly keepsTransfersRunning: boolean;
  /** An upload goes on by itself after a reload where files were chosen so that they have handles. */
  readonly wantsHandles: boolean;
  /** Whether files that are written can be larger than memory, in a place of the person's choice. */
  readonly choosesWhereToSave: boolean;
};

export type Account = {
  readonly externalId: string;
  readonly username: string;
  readonly nickname: string | null;
  readonly email: string;
  readonly role: Role;
  readonly permissions: readonly Permission[];
};

export type SessionState =
  | { readonly kind: 'restoring' }
  /** `ended`: there was a session, and the server has ended it. */
  | { readonly kind: 'signed-out'; readonly ended: boolean }
  /** There may be a session, but nobody answers. */
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'signed-in'; readonly account: Account };

export type SessionBridge = {
  readonly state: Watched<SessionState>;
  /** Where the server is, as people read it. */
  readonly serverUrl: () => string;
  signIn(wish: { readonly username: string; readonly password: string; readonly stay: boolean }): Promise<void>;
  signOut(wish: { readonly everywhere: boolean }): Promise<void>;
  /** Tries again what `unreachable` could not. */
  restore(): Promise<void>;
  /** After a change of the profile. */
  reload(): Promise<void>;
  /** Changes the password; this session goes on, every other one ends. */
  changePassword(wish: { readonly oldPassword: string; readonly newPassword: string }): Promise<void>;
};

export type FeedState = 'off' | 'connecting' | 'live' | 'waiting';

/** Follows the stream of events while somebody is signed in, over outages. */
export type EventsBridge = {
  readonly state: Watched<FeedState>;
  /** `connected` with `missed`: read anew what is shown. */
  listen(hear: (event: ServerEvent) => void): () => void;
};

export type TransferState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running' }
  | { readonly kind: 'paused' }
  /** The browser has lost sight of the file: `supply` it again, or `resume` where the person only has to allow it. */
  | { readonly kind: 'needs-file'; readonly mayAsk: boolean }
  | { readonly kind: 'failed'; readonly reason: Failure }
  | { readonly kind: 'done'; readonly fileHash: string | null };

/** A failure as it can be kept: the kind of an ApiError, else the failure of a transport or transfer error. */
export type Failure = { readonly code: string; readonly message: string };

export type Upload = {
  readonly id: string;
  /** Of the first, where small ones go together. */
  readonly fileName: string;
  /** Where they go together, the one that holds them all. */
  readonly folder: string | null;
  /** More than one where small files go together. */
  readonly files: number;
  /** Of all of them. */
  readonly size: number;
  readonly targetFileId: string | null;
  readonly state: TransferState;
  readonly progress: Progress | null;
};

/** What a person chose or dropped. */
export type ChosenFile = {
  readonly file: File;
  /** Relative, of the server's form. */
  readonly folder: string | null;
  /** Where the browser gave one. */
  readonly handle: FileHandle | null;
};

/** With it a browser opens the file again after a reload. */
type FileHandle = {
  readonly file: FileSystemFileHandle;
  /** What the person chose, and is asked about: the file, or the folder that it lies in. */
  readonly chosen: FileSystemHandle;
};

export type UploadsBridge = {
  /** The newest last. */
  readonly list: Watched<readonly Upload[]>;
  add(files: readonly ChosenFile[], wish?: { readonly targetFileId?: string }): Promise<void>;
  pause(id: string): Promise<void>;
  /** Goes on with what was paused or has failed. */
  resume(id: string): Promise<void>;
  /** At the server too. */
  cancel(id: string): Promise<void>;
  /** The same again, all of it; rejects with TransferError `source-changed` when something is missing or another one. */
  supply(id: string, chosen: readonly ChosenFile[]): Promise<void>;
  /** Takes what is done out of the list. */
  clear(): Promise<void>;
};

/** What can be fetched. */
export type Wanted =
  | { readonly kind: 'file'; readonly fileHash: string; readonly fileName: string; readonly size: number }
  | {
      readonly kind: 'friend-file';
      readonly shareId: string;
      readonly fileHash: string;
      readonly fileName: string;
      readonly size: number;
    }
  | {
      readonly kind: 'shared-file';
      readonly code: string;
      readonly fileHash: string;
      readonly fileName: string;
      readonly size: number;
      /** That the share was opened; without it, or when its time is over, the share is opened once more. */
      readonly grant: string | null;
    }
  | { readonly kind: 'proof'; readonly fileId: string; readonly fileName: string };

export type Download = {
  readonly id: string;
  readonly wanted: Wanted;
  readonly state: TransferState;
  readonly progress: Progress | null;
  /** Every chunk had the hash that the manifest says, and the whole the one of the record. */
  readonly verified: boolean;
};

export type DownloadsBridge = {
  readonly list: Watched<readonly Download[]>;
  /** Asks where, if it can. Does nothing when the person says no. */
  start(wanted: Wanted): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  cancel(id: string): Promise<void>;
  clear(): Promise<void>;
  /** The checked bytes of a small file, to be shown. Rejects with TransferError `wrong-bytes` when they are others. */
  read(
    fileHash: string,
    wish: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** One that a message names; nothing proves it. */
  readPicture(path: string, signal?: AbortSignal): Promise<Picture>;
};

export type Picture = { readonly type: ImageType; readonly bytes: Uint8Array<ArrayBuffer> };

type VerifyWish = {
  readonly original: File;
  readonly proof: File;
  readonly trustedKey?: File;
  /** For the key, unless one is given, the status and the root on the chain. Without it nothing is sent anywhere. */
  readonly asksServer?: boolean;
  readonly onProgress?: (read: number, size: number) => void;
  readonly signal?: AbortSignal;
};

/** What the system shows while the window is not before the person. */
export type NoticesBridge = {
  readonly settings: Watched<NoticeSettings>;
  /** The person, or the system, lets none through. */
  readonly isRefused: Watched<boolean>;
  change(change: Partial<NoticeSettings>): Promise<void>;
};

/** What a window on a desk has besides. */
export type ShellBridge = {
  /** Name and version of the program. */
  readonly version: string;
  readonly servers: Watched<readonly SavedServer[]>;
  /** Also makes it the one that is spoken to. Rejects when nothing of ours answers there. */
  addServer(url: string): Promise<void>;
  chooseServer(id: string): Promise<void>;
  removeServer(id: string): Promise<void>;
  readonly settings: Watched<ShellSettings>;
  changeSettings(change: Partial<ShellSettings>): Promise<void>;
  /** Whether the system can keep a token safe; without it one signs in each time. */
  readonly canKeepTokens: boolean;
  /** Shows a downloaded file where it lies. */
  showDownload(id: string): Promise<void>;
  /** A link that the system handed over. */
  onLink(open: (link: DeepLink) => void): () => void;
};

export type SavedServer = {
  readonly id: string;
  readonly url: string;
  readonly username: string | null;
  readonly isCurrent: boolean;
};
export type ShellSettings = {
  readonly startsWithSystem: boolean;
  readonly notices: NoticeSettings;
  /** Without it the program ends with its window; transfers go on at the next start. */
  readonly closesToTray: boolean;
  /** Of notices and the tray. */
  readonly language: Language;
};
export type DeepLink = { readonly kind: 'share'; readonly code: string } | { readonly kind: 'verify' };
