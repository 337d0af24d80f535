// Benchmark of a normal client while hostile ones attack the server, against the same client before the attack and against a
// server beside it that is not attacked. Run: npm run bench hostile-clients, or node test/bench/hostile-clients.ts [seconds]
import { printFigures } from '../support/bench-figures.ts';
import { runHostile } from '../support/hostile-run.ts';

const seconds = Number(process.argv[2] ?? 30);
const { p99Ms, stretch, normalCalls, memoryMiB } = await runHostile({ seconds, clients: 4, restSeconds: 30 });

printFigures(`a normal client during ${seconds} s of hostile ones`, [
  {
    name: 'p99 of a call',
    unit: 'ms',
    samples: p99Ms.hostile,
    references: { 'before the attack': p99Ms.quiet, 'server that is not attacked': p99Ms.beside },
    note: '(<= 2 x)',
  },
  { name: 'calls', unit: '', samples: normalCalls },
  { name: 'factor of waiting for a processor', unit: '', samples: stretch },
  { name: 'memory before', unit: 'MiB', samples: memoryMiB.before },
  { name: 'memory after', unit: 'MiB', samples: memoryMiB.after },
]);
