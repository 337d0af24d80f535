// The progress line of a transfer, removed at the end. Without a terminal a line is written every ten seconds. Finished
// files stay above it.
import type { OnProgress, Phase, Progress } from '@recordproof/shared/transfer/progress.ts';
import { printable, writeMessage } from './output.ts';
import { clip, cutBegin } from './text-width.ts';
import { toDuration, toSize } from './units.ts';
import { type ShownWait, toWaitText, type Waits } from './waits.ts';

export type ProgressLine = Disposable & {
  /** The number of files, and of bytes where that is known. */
  plan(files: number, bytes?: number): void;
  /** The current file; its name is made printable here. */
  begin(title: string, doing?: string): OnProgress;
  /** The current file is done, or has failed. */
  end(): void;
  /** Removes the line before other output. */
  clear(): void;
};

/** Counts a file of a bulk transfer. */
export const toDone = (size: number): Progress => ({
  phase: 'done',
  totalBytes: size,
  bytesHashed: size,
  bytesMoved: size,
  bytesPerSecond: 0,
  etaSeconds: undefined,
  retries: 0,
});

const words: Record<Phase, string> = {
  hashing: 'hashing',
  sending: 'sending',
  receiving: 'receiving',
  verifying: 'checking what is there',
  finishing: 'finishing',
  done: 'done',
};

/** The sum of all files. */
export type Overall = {
  readonly files: number;
  readonly filesDone: number;
  /** Undefined where the sizes are not known before. */
  readonly bytes: number | undefined;
  readonly bytesDone: number;
  readonly bytesPerSecond: number;
};

const barWidth = 20;
const leastNameWidth = 16;
/** The width between name and figures, and the last column, which some terminals wrap at. */
const gap = 3;

type Figures = { readonly share: number | undefined; readonly texts: readonly string[] };

const shareOf = (done: number, total: number): number => (total === 0 ? 1 : Math.min(1, Math.max(0, done / total)));

const toFigures = (done: number, total: number | undefined, rate: number, etaSeconds: number | undefined): Figures => ({
  share: total === undefined ? undefined : shareOf(done, total),
  texts: [
    total === undefined ? toSize(done) : `${toSize(done)} of ${toSize(total)}`,
    ...(rate > 0 ? [`${toSize(rate)}/s`] : []),
    ...(etaSeconds !== undefined && etaSeconds > 0 ? [toDuration(etaSeconds)] : []),
  ],
});

function ofOne({ phase, totalBytes, bytesMoved, bytesHashed, bytesPerSecond, etaSeconds }: Progress): Figures {
  return toFigures(phase === 'hashing' ? bytesHashed : bytesMoved, totalBytes, bytesPerSecond, etaSeconds);
}

function ofAll({ bytes, bytesDone, bytesPerSecond }: Overall): Figures {
  const eta = bytes === undefined || bytesPerSecond <= 0 ? undefined : Math.ceil((bytes - bytesDone) / bytesPerSecond);
  return toFigures(bytesDone, bytes, bytesPerSecond, eta);
}

const toPercent = (share: number): string => `${String(Math.floor(share * 100)).padStart(3)} %`;

export function toLine(title: string, progress: Progress, columns: number, overall?: Overall): string {
  const { share, texts } = overall ? ofAll(overall) : ofOne(progress);
  const count = overall ? [`${overall.filesDone}/${overall.files}`] : [];
  const percent = share === undefined ? [] : [toPercent(share)];
  const bar = share === undefined ? [] : [toBar(share)];
  const phase = [words[progress.phase]];
  const { retries } = progress;
  const tries = retries > 0 ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : [];
  const figures = [...texts, ...phase, ...tries];
  // Parts are omitted when space is short, so that none is cut.
  const forms = [
    [...count, ...percent, ...bar, ...figures],
    [...count, ...percent, ...figures],
    [...count, ...percent, ...texts],
    [...count, ...percent, ...phase],
  ].map(parts => parts.join('  '));
  const fits = (parts: string): boolean => parts.length + leastNameWidth + gap <= columns;
  const parts = forms.find(fits) ?? [...count, ...percent].join('  ');
  const room = Math.max(leastNameWidth, columns - parts.length - gap);
  return clip(`${cutBegin(printable(title), room)}  ${parts}`, columns - 1);
}

function toBar(share: number): string {
  const filled = Math.round(share * barWidth);
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}]`;
}

/** Without byte counts. */
const toDoingLine = (title: string, doing: string, columns: number, { files, filesDone }: Overall): string =>
  clip([...(files > 1 ? [`${filesDone}/${files}`] : []), `${doing} ${printable(title)}`].join('  '), columns - 1);

/** While the server asks the client to wait. */
export function toWaitLine(wait: ShownWait, overall: Overall): string {
  const { files, filesDone } = overall;
  const minutes = wait.perMinute === undefined ? 0 : Math.ceil((files - filesDone) / wait.perMinute);
  const count = files > 1 ? `${filesDone}/${files}  ` : '';
  return `${count}${toWaitText(wait)}${minutes > 1 ? `, ${minutes} min left` : ''}`;
}

export function toPlainLine(overall: Overall): string {
  const { share, texts } = ofAll(overall);
  const { files, filesDone } = overall;
  return [`${filesDone} of ${files} files`, ...(share === undefined ? [] : [toPercent(share).trim()]), ...texts].join(
    ', ',
  );
}

const plainEveryMs = 10_000;
const memoryMs = 5000;

/** The rate over the last seconds, of bytes that are counted from time to time. */
function openRate(): (bytes: number) => number {
  let [rate, counted, at] = [0, 0, performance.now()];
  return bytes => {
    const now = performance.now();
    const passed = now - at;
    if (passed < 200) return rate;
    const current = (Math.max(0, bytes - counted) * 1000) / passed;
    rate = rate === 0 ? current : rate + (1 - Math.exp(-passed / memoryMs)) * (current - rate);
    [counted, at] = [bytes, now];
    return rate;
  };
}

type Running = { readonly title: string; readonly doing: string | undefined; progress: Progress | undefined };

/** The current figures. */
type Snapshot = {
  readonly wait: ShownWait | undefined;
  readonly running: Running | undefined;
  readonly overall: Overall;
};

function toShownLine({ wait, running, overall }: Snapshot, columns: number): string | undefined {
  if (wait && wait.until.getTime() > Date.now()) return clip(toWaitLine(wait, overall), columns - 1);
  if (running?.doing) return toDoingLine(running.title, running.doing, columns, overall);
  if (!running?.progress) return undefined;
  return toLine(running.title, running.progress, columns, overall.files > 1 ? overall : undefined);
}

/** The done share of the planned work. */
function openCount() {
  const rateOf = openRate();
  let plan = { files: 1, bytes: undefined as number | undefined };
  let [filesDone, bytesDone] = [0, 0];
  return {
    plan(files: number, bytes: number | undefined) {
      plan = { files, bytes };
      [filesDone, bytesDone] = [0, 0];
    },
    add(bytes: number) {
      filesDone += 1;
      bytesDone += bytes;
    },
    overall(moving: number): Overall {
      const moved = bytesDone + moving;
      return { ...plan, filesDone, bytesDone: moved, bytesPerSecond: Math.round(rateOf(moved)) };
    },
  };
}

export function openProgressLine(waits: Waits, stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  const count = openCount();
  let running: Running | undefined;
  let wait: ShownWait | undefined;
  let isShown = false;

  const overall = (): Overall => count.overall(running?.progress?.bytesMoved ?? 0);
  const clear = (): void => {
    if (isShown) stream.write('\r\x1b[K');
    isShown = false;
  };
  const show = (): void => {
    if (!stream.isTTY) return;
    const line = toShownLine({ wait, running, overall: overall() }, stream.columns ?? 80);
    if (line !== undefined) stream.write(`\r\x1b[K${line}`);
    isShown ||= line !== undefined;
  };
  const showWait = (next: ShownWait): void => {
    wait = next;
    show();
  };
  const plain = stream.isTTY
    ? undefined
    : setInterval(() => writeMessage(toPlainLine(overall())), plainEveryMs).unref();
  const shown = stream.isTTY ? waits.showBy(showWait) : undefined;

  return {
    plan: (files, bytes) => count.plan(files, bytes),
    begin: (title, doing) => {
      const mine: Running = { title, doing, progress: undefined };
      running = mine;
      show();
      return progress => {
        mine.progress = progress;
        wait = undefined;
        show();
      };
    },
    end: () => {
      count.add(running?.progress?.totalBytes ?? 0);
      running = undefined;
      clear();
    },
    clear,
    [Symbol.dispose]() {
      clearInterval(plain);
      shown?.[Symbol.dispose]();
      clear();
    },
  };
}
