// A subscriber in a process of its own: prints READY, then every message on a line. Arguments: Redis URL, channel.

import { openCluster } from '../../server/src/platform/cluster/open-cluster.ts';
import { Secret } from '../../server/src/platform/secret.ts';

const [url, channel] = process.argv.slice(2);
if (url === undefined || channel === undefined) throw new Error('usage: cluster-subscriber.ts REDIS_URL CHANNEL');
const log = { info: () => {}, warn: () => {} };
const cluster = await openCluster({ kind: 'redis', url: new Secret(url) }, { clock: Date, log });
await cluster.subscribe(channel, message => console.log(message));
console.log('READY');
