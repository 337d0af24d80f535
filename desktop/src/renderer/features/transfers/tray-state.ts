// State of the tray: transfers that run or ended since the tray was last cleared, and the one action that is required
// from the user.
import type { Download, TransferState, Upload } from '../../../bridge/bridge.ts';
import { sumOf } from './sum.ts';

type TrayPhase = 'needs-file' | 'failed' | 'running' | 'waiting' | 'paused' | 'done';

export type Tray = {
  readonly transfers: readonly (Upload | Download)[];
  readonly phase: TrayPhase;
  readonly done: number;
  readonly files: number;
  /** Share of the bytes, from 0 to 1. */
  readonly share: number;
  readonly failed: number;
  /** A download that the browser itself continues. */
  readonly isHandedOver: boolean;
};

/** Transfers that need the user come first, unless some are running. */
const order: readonly TransferState['kind'][] = ['needs-file', 'running', 'waiting', 'failed', 'paused'];

/** Null where there is nothing to show. */
export function toTray(all: readonly (Upload | Download)[], cleared: ReadonlySet<string>): Tray | null {
  const transfers = all.filter(({ id, state }) => state.kind !== 'done' || !cleared.has(id));
  if (transfers.length === 0) return null;
  const kinds = new Set(transfers.map(({ state }) => state.kind));
  const { done, all: whole } = sumOf(transfers);
  return {
    transfers,
    phase: order.find(kind => kinds.has(kind)) ?? 'done',
    ...{ done: done.files, files: whole.files },
    share: whole.bytes > 0 ? Math.min(1, done.bytes / whole.bytes) : 0,
    failed: transfers.filter(({ state }) => state.kind === 'failed').length,
    isHandedOver: transfers.some(({ state }) => state.kind === 'done' && state.isHandedOver),
  };
}

/** The folder of finished uploads; null while they run, and with several folders. */
export function toResult(tray: Tray): { readonly folder: string; readonly file: string } | null {
  const uploads = tray.transfers.filter(one => 'targetFileId' in one);
  const [first] = uploads;
  if (tray.phase !== 'done' || first === undefined || uploads.length < tray.transfers.length) return null;
  const folder = first.folder ?? '';
  if (uploads.some(one => (one.folder ?? '') !== folder)) return null;
  const file = uploads.length === 1 && first.state.kind === 'done' ? (first.state.fileHash ?? '') : '';
  return { folder, file };
}
