// Command lines for the actions of the administration screens.
/** Quoted for a shell. */
const toWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const line = (...words: readonly string[]): string => ['recordproof', 'admin', ...words.map(toWord)].join(' ');

/** A name may begin with a hyphen, and is still not a flag. */
const toArgument = (text: string): string[] => (text.startsWith('-') ? ['--', text] : [text]);
const toFlag = (name: string, value: string): string[] => {
  if (value === '') return [];
  return value.startsWith('-') ? [`${name}=${value}`] : [name, value];
};

export type AuditSearch = {
  readonly username: string;
  readonly module: string;
  readonly operation: string;
  readonly rejected: boolean;
};

const toFlags = ({ username, module, operation, rejected }: AuditSearch): string[] => [
  ...toFlag('--username', username),
  ...toFlag('--module', module),
  ...toFlag('--operation', operation),
  ...(rejected ? ['--status', 'error'] : []),
];

export const adminCommands = {
  health: () => [line('health'), line('monitor')],
  deadJob: (type: 'JOB' | 'EVENT', id: string) =>
    ['revive', 'drop'].map(what => line(type === 'JOB' ? 'jobs' : 'outbox', what, id)),
  storage: () => [line('stats'), line('chain'), line('integrity', 'check'), line('sweep', 'status')],
  users: (keyword: string) => [line('users', 'list', ...toFlag('--keyword', keyword))],
  user: (username: string, isActive: boolean) => [
    line('users', isActive ? 'suspend' : 'activate', ...toArgument(username)),
    line('users', 'role', ...toArgument(username), 'monitor'),
    line('users', 'end-sessions', ...toArgument(username)),
    line('users', 'quota', ...toArgument(username)),
  ],
  newUser: (username: string, email: string, role: string) => [
    line(
      ...['users', 'create', '--email', email === '' ? 'name@example.org' : email, '--role', role],
      ...toArgument(username === '' ? 'name' : username),
    ),
  ],
  tenants: () => [line('tenants', 'list'), line('tenants', 'create', 'acme'), line('maintenance', 'status')],
  services: () => [
    line('service-accounts', 'create', 'builds'),
    line('service-accounts', 'tokens', 'list', 'builds'),
    line('service-accounts', 'trust', 'list', 'builds'),
  ],
  invitations: () => [
    line('invitations', 'create', '--email', 'name@example.org'),
    line('invitations', 'list', '--state', 'PENDING'),
  ],
  alerts: (status: string | undefined) => [
    line('integrity', 'alerts', ...(status === undefined ? [] : ['--status', status])),
    line('integrity', 'check'),
  ],
  alert: (id: string) => ['ack', 'repair', 'resolve'].map(what => line('integrity', what, id)),
  runs: (topic: string, starts: readonly string[], runId: string | undefined) =>
    runId === undefined
      ? starts.map(what => line(topic, what))
      : ['watch', 'pause', 'resume'].map(what => line(topic, what, runId)),
  audit: (search: AuditSearch) => [
    line('audit', 'list', ...toFlags(search)),
    line('audit', 'export', ...toFlags(search)),
    line('audit', 'anomalies'),
  ],
  auditRow: (id: string) => [line('audit', 'show', id)],
} as const;
