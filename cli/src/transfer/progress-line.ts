// One line on the terminal that says how far a transfer is, and disappears afterwards. Nowhere else is it shown.
import type { OnProgress, Phase, Progress } from '@recordproof/shared/transfer/progress.ts';
import { printable } from '../output.ts';
import { toWidth } from './text-width.ts';
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
const leastNameWidth = 16;
/** Between name and figures, and the last column, which some terminals wrap at. */
const gap = 3;

export function toLine(title: string, progress: Progress, columns: number): string {
  const { phase, totalBytes, bytesMoved, bytesHashed, bytesPerSecond, etaSeconds, retries } = progress;
  const bytes = phase === 'hashing' ? bytesHashed : bytesMoved;
  const share = totalBytes === 0 ? 1 : Math.min(1, Math.max(0, bytes / totalBytes));
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const figures = [
    `${toSize(bytes)} of ${toSize(totalBytes)}`,
    ...(bytesPerSecond > 0 ? [`${toSize(bytesPerSecond)}/s`] : []),
    ...(etaSeconds !== undefined && etaSeconds > 0 ? [toDuration(etaSeconds)] : []),
    words[phase],
    ...(retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
  ].join('  ');
  const whole = `${percent}  ${toBar(share)}  ${figures}`;
  const parts = whole.length + leastNameWidth + gap > columns ? `${percent}  ${figures}` : whole;
  const room = Math.max(leastNameWidth, columns - parts.length - gap);
  return toEnd(`${toTail(printable(title), room)}  ${parts}`, columns - 1);
}

function toBar(share: number): string {
  const filled = Math.round(share * barWidth);
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}]`;
}

/** The end of a path tells more than its beginning. */
function toTail(name: string, room: number): string {
  if (toWidth(name) <= room) return name;
  const kept: string[] = [];
  let left = room - 1;
  for (const character of [...name].reverse()) {
    left -= toWidth(character);
    if (left < 0) break;
    kept.unshift(character);
  }
  return `…${kept.join('')}`;
}

function toEnd(line: string, columns: number): string {
  let kept = '';
  let left = columns;
  for (const character of line) {
    left -= toWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return kept;
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
