// Lines for whoever waits: each step at once, and how far it is every few seconds.
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
