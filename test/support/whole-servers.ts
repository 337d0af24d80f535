// Finds the tests that use a database: those that import the helpers that open one, directly or through other helpers.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const doors = /test\/support\/(app|databases)\.ts$/;

function listSupport(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/from '(\.[^']+\.ts)'/g)]
    .map(([, to = '']) => join(dirname(path), to))
    .filter(to => /test\/support\/[\w/-]+\.ts$/.test(to));
}

function reachesHttp(path: string, seen: Set<string>): boolean {
  return listSupport(path).some(helper => {
    if (doors.test(helper)) return true;
    if (seen.has(helper)) return false;
    seen.add(helper);
    return reachesHttp(helper, seen);
  });
}

export const openWholeServers = (root: string, files: readonly string[]): string[] =>
  files.filter(file => reachesHttp(join(root, file), new Set()));
