// What the tests start for real and npm does not bring: Debian packages, each with the program that proves it is there.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const testServices = [
  { program: 'redis-server', packages: ['redis-server'] },
  { program: 'chromium', packages: ['chromium'] },
  { program: 'chromium-headless-shell', packages: ['chromium-headless-shell'] },
  { program: 'openssl', packages: ['openssl'] },
  { program: 'python3', packages: ['python3'] },
  { program: '/usr/lib/python3/dist-packages/hvac/__init__.py', packages: ['python3-hvac'] },
  { program: '/usr/lib/python3/dist-packages/opentimestamps/__init__.py', packages: ['python3-opentimestamps'] },
  { program: 'softhsm2-util', packages: ['softhsm2'] },
  { program: 'strace', packages: ['strace'] },
  { program: 'unzip', packages: ['unzip'] },
  { program: '7z', packages: ['p7zip-full'] },
  { program: 'soffice', packages: ['libreoffice-calc-nogui'] },
  { program: 'script', packages: ['bsdutils'] },
  { program: 'curl', packages: ['curl'] },
  { program: 'caddy', packages: ['caddy'] },
  { program: 'nginx', packages: ['nginx'] },
  { program: '/usr/lib/rabbitmq/bin/rabbitmq-server', packages: ['rabbitmq-server'] },
  { program: 'promtool', packages: ['prometheus'] },
  { program: 'radosgw', packages: ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'] },
];

export const isThere = program =>
  program.startsWith('/')
    ? existsSync(program)
    : (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));

const listMissing = () => testServices.filter(({ program }) => !isThere(program));

export const listMissingPackages = () => listMissing().flatMap(({ packages }) => packages);
export const listMissingPrograms = () => listMissing().map(({ program }) => program);
