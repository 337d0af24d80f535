// A fleet for manual tests, until Ctrl-C: node test/support/fleet/run.ts [servers]
import { once } from 'node:events';
import { startFleet } from './fleet.ts';

await using fleet = await startFleet(Number(process.argv[2] ?? 3));
const { env } = fleet.installation;
console.log(`all of them: ${fleet.url}, alice, ${env.RECORDPROOF_ADMIN_PASSWORD}`);
for (const { url, folder } of fleet.servers) console.log(`${url}  ${folder}`);
console.log(`PostgreSQL ${env.DATABASE_URL}\nRedis ${env.REDIS_URL}\nS3 ${env.RECORDPROOF_S3_ENDPOINTS}`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
