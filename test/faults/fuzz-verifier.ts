// The long run of the mutation test: `node test/faults/fuzz-verifier.ts [count] [from]`, 200,000 by default.
// Fails on a VALID or INDETERMINATE mutant, a throw, a verification of more than a second, or more than 512 MiB.
import { fuzzVerifier } from '../support/fuzz-verifier.ts';

const count = Number(process.argv[2] ?? 200_000);
const from = Number(process.argv[3] ?? 0);
const started = performance.now();
const { outcomes, slowestMillis, wrong } = await fuzzVerifier(from, count);
const seconds = (performance.now() - started) / 1000;
const peakMiB = process.resourceUsage().maxRSS / 1024;

console.log(
  `${count} mutants in ${seconds.toFixed(1)} s, slowest ${slowestMillis.toFixed(1)} ms, peak ${peakMiB.toFixed(0)} MiB`,
);
console.log(outcomes);
for (const { run, why } of wrong.slice(0, 20)) console.log(`run ${run}: ${why}`);
process.exitCode = wrong.length > 0 || slowestMillis > 1000 || peakMiB > 512 ? 1 : 0;
