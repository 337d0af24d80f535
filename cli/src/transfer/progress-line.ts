// One line on the terminal that says how far a transfer is, and disappears afterwards. Nowhere else is it shown.
import type { OnProgress, Phase, Progress } from '@recordproof/shared/transfer/progress.ts';
import { printable } from '../output.ts';
import { toDuration, toSize } from './units.ts';

export type ProgressLine = Disposable & {
  /** `title` is the file; text from outside is made harmless here. */
  show(title: string): OnProgress;
  clear(): void;
};

const words: Record<Phase, string> = {
  hashing: 'hashing',
  sending: 'sending',
  receiving: 'receiving',
  verifying: 'checking what is there',
  finishing: 'the server is finishing',
  done: 'done',
};

const barWidth = 20;

export function toLine(title: string, progress: Progress, columns: number): string {
  const { phase, totalBytes, bytesMoved, bytesHashed, bytesPerSecond, etaSeconds, retries } = progress;
  const bytes = phase === 'hashing' ? bytesHashed : bytesMoved;
  const share = totalBytes === 0 ? 1 : Math.min(1, Math.max(0, bytes / totalBytes));
  const filled = Math.round(share * barWidth);
  const parts = [
    `${String(Math.floor(share * 100)).padStart(3)} %`,
    `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}]`,
    `${toSize(bytes)} of ${toSize(totalBytes)}`,
    ...(bytesPerSecond > 0 ? [`${toSize(bytesPerSecond)}/s`] : []),
    ...(etaSeconds !== undefined && etaSeconds > 0 ? [toDuration(etaSeconds)] : []),
    words[phase],
    ...(retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
  ].join('  ');
  const room = Math.max(8, columns - parts.length - 3);
  const name = printable(title);
  const short = name.length > room ? `…${name.slice(1 - room)}` : name;
  return `${short}  ${parts}`.slice(0, columns - 1);
}

export function openProgressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let isShown = false;
  const clear = (): void => {
    if (isShown) stream.write('\r\x1b[K');
    isShown = false;
  };
  return {
    show: title => progress => {
      if (!stream.isTTY) return;
      stream.write(`\r\x1b[K${toLine(title, progress, stream.columns ?? 80)}`);
      isShown = true;
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
