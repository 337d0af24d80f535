// A file in the viewer: what the viewer requests from its source, and the interface of the shown content.
import type { ViewerTexts } from '../../words/viewer.ts';
import type { PdfReader } from '../pdf-reader.ts';

/**
 * `limit`: the file has more bytes than can be played here. `isCompared`: all bytes were compared with their record.
 */
export type OpenMedia =
  | { readonly url: string; readonly isCompared?: boolean; readonly close?: () => void }
  | { readonly limit: number };

export type ViewedFile = {
  readonly name: string;
  readonly contentType: string;
  readonly fileSize: number;
  /** All bytes, compared with their record. */
  read(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
  /** An address that a media element plays. Called again when it has expired. */
  openMedia(signal: AbortSignal): Promise<OpenMedia>;
  /** The bytes of an image that is shown, the first page of a PDF, or a frame of a video. */
  readonly onShown?: (shown: Uint8Array<ArrayBuffer> | ImageBitmap) => void;
};

export type Shown = {
  readonly node: HTMLElement;
  /** Below the content. */
  readonly about?: string | undefined;
  /** `factor` 1 fits the window. */
  zoom?(factor: number): void;
  /** Plays or pauses. */
  toggle?(): void;
  readonly pages?: PageTurner;
  close?(): void;
};

type PageTurner = { turn(step: number): Promise<void>; label(): string };

export type Showing = {
  readonly texts: ViewerTexts;
  readonly signal: AbortSignal;
  readonly openPdf: (bytes: Uint8Array<ArrayBuffer>) => PdfReader;
  readonly toSize: (bytes: number) => string;
};

/** An error whose message is shown to the user. */
export class NotShown extends Error {}

/** Beyond the window it scrolls. */
export function zoomTo(node: HTMLElement, factor: number): void {
  node.classList.remove('zoomed');
  node.style.removeProperty('width');
  if (factor === 1) return;
  const { width } = node.getBoundingClientRect();
  node.classList.add('zoomed');
  node.style.width = `${Math.round(width * factor)}px`;
}
