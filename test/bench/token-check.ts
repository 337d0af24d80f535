// Benchmark of the check of an API token: processor time and statements, against a limit of 10 µs and one statement.
// Run: npm run bench token-check, or node test/bench/token-check.ts [rounds] [checks]
import { createApiToken } from '@recordproof/shared/api/api-tokens.ts';
import { startApp } from '../support/app.ts';
import { printFigures } from '../support/bench-figures.ts';
import { countStatements } from '../support/statement-count.ts';

const [rounds = 9, checks = 50_000] = process.argv.slice(2).map(Number);
const count = countStatements();

/** Microseconds of processor time for one call. */
async function measure(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < checks; done += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / checks;
}

await using app = await startApp({ engine: 'sqlite' });
const alice = await app.person('alice');
const others = Array.from({ length: 90 }, (_, index) => ({ name: `other ${index}`, scopes: ['file:read' as const] }));
for (const body of others) await alice.call(createApiToken, { body });
const body = { name: 'ci', scopes: ['file:read' as const, 'file:write' as const], addresses: ['127.0.0.0/8'] };
const { token } = await alice.call(createApiToken, { body });
const { apiTokens } = app.app.server;
const forged = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
const reject = () => {
  try {
    apiTokens.authenticate(forged, '127.0.0.1');
  } catch {
    return;
  }
  throw new Error('a forged token was accepted');
};

await apiTokens.authenticate(token, '127.0.0.1'); // the first use is recorded asynchronously
await app.drain();
const seen = { valid: [] as number[], statements: [] as number[], forged: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  const before = count.read().statements;
  seen.valid.push(await measure(() => apiTokens.authenticate(token, '127.0.0.1')));
  seen.statements.push((count.read().statements - before) / checks);
  seen.forged.push(await measure(reject));
}
printFigures('check of an API token', [
  { name: 'valid', unit: 'µs of processor', samples: seen.valid, note: '(<= 10)' },
  { name: 'valid', unit: 'statements', samples: seen.statements, note: '(<= 1)' },
  { name: 'wrong checksum', unit: 'µs of processor', samples: seen.forged },
]);
