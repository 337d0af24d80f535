// Version of the server, from its package.
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;
