// Progress output of a move: each step at once, counts every few seconds.
const quietMs = 5000;

export type Progress = {
  readonly tell: (what: string) => void;
  readonly count: (what: string) => void;
};

export function openProgress(write: (line: string) => void): Progress {
  let toldAt = performance.now();
  const tell = (what: string) => {
    toldAt = performance.now();
    write(`${what} …\n`);
  };
  return {
    tell,
    count: what => {
      if (performance.now() - toldAt >= quietMs) tell(`  ${what}`);
    },
  };
}
