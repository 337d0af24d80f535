// The C2SP tlog-policy (docs/spec/vouchers.md section 5): trusted logs and witnesses, and the required quorum. Rejects
// what the format does not define. The format leaves bytes beyond ASCII opaque, so the file is read as bytes.
import { parseUtf8, toHex } from './digest.ts';
import { parseTypedKey, type TypedNoteKey } from './note-keys.ts';

export type PolicyLog = { readonly key: TypedNoteKey; readonly url?: string };
export type PolicyWitness = PolicyLog & { readonly kind: 'WITNESS'; readonly name: string };
type PolicyGroup = {
  readonly kind: 'GROUP';
  readonly name: string;
  /** The number of members that must have cosigned. */
  readonly threshold: number;
  readonly members: readonly PolicyMember[];
};
export type PolicyMember = PolicyWitness | PolicyGroup;

export type TlogPolicy = {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: readonly PolicyGroup[];
  /** Absent: no cosignature is needed. */
  readonly quorum?: PolicyMember;
};

const maxPolicyBytes = 1024 * 1024;
const maxOfEach = 64;

/** Throws RangeError with the line number and the defect. */
export function parseTlogPolicy(bytes: Uint8Array): TlogPolicy {
  if (bytes.length > maxPolicyBytes) throw new RangeError('the policy is larger than 1 MiB');
  const text = toOctetText(bytes);
  if (text !== '' && !text.endsWith('\n'))
    throw new RangeError('the last line of the policy does not end with a line feed: the file may be cut off');
  const reader = new PolicyReader();
  for (const [at, line] of text.split('\n').entries()) {
    try {
      reader.read(line);
    } catch (problem) {
      throw new RangeError(`line ${at + 1} of the policy: ${(problem as Error).message}`, { cause: problem });
    }
  }
  return reader.finish();
}

/** One UTF-16 unit per octet: names are equal only if their octets are. */
function toOctetText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

const toBytes = (octets: string): Uint8Array => Uint8Array.from(octets, octet => octet.charCodeAt(0));

/** For display; invalid UTF-8 becomes replacement characters. */
const toShownText = (octets: string): string => new TextDecoder().decode(toBytes(octets));

class PolicyReader {
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #groups: PolicyGroup[] = [];
  /** Witnesses and groups by the octets of their names. */
  readonly #members = new Map<string, PolicyMember>();
  readonly #grouped = new Set<PolicyMember>();
  #quorum: { readonly member?: PolicyMember } | undefined;

  read(line: string): void {
    const stray = /[^\t\x20-\x7e\x80-\xff]/.exec(line)?.[0];
    if (stray !== undefined)
      throw new RangeError(`it holds the control character 0x${toHex(toBytes(stray))}, which is not allowed`);
    const [keyword, ...items] = line.split(/[ \t]+/).filter(item => item !== '');
    if (keyword === undefined || keyword.startsWith('#')) return;
    if (keyword === 'log') this.#readLog(items);
    else if (keyword === 'witness') this.#readWitness(items);
    else if (keyword === 'group') this.#readGroup(items);
    else if (keyword === 'quorum') this.#readQuorum(items);
    else throw new RangeError('it begins with none of log, witness, group and quorum');
  }

  finish(): TlogPolicy {
    if (this.#quorum === undefined) throw new RangeError('the policy has no quorum line');
    const { member } = this.#quorum;
    const lists = { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups };
    return { ...lists, ...(member === undefined ? {} : { quorum: member }) };
  }

  #readLog([key, url, ...rest]: readonly string[]): void {
    if (key === undefined || rest.length > 0) throw new RangeError('a log is written: log <verifier key> [<url>]');
    const log = toLog(key, url);
    if (log.key.type === 'COSIGNATURE')
      throw new RangeError('a key of type 0x04 is the key of a witness, not of a log');
    addNew(this.#logs, log);
  }

  #readWitness([name, key, url, ...rest]: readonly string[]): void {
    if (name === undefined || key === undefined || rest.length > 0)
      throw new RangeError('a witness is written: witness <name> <verifier key> [<url>]');
    const witness = { kind: 'WITNESS', name: toShownText(name), ...toLog(key, url) } as const;
    if (witness.key.type === 'ED25519')
      throw new RangeError('a key of type 0x01 is the key of a log; witnesses have keys of type 0x04 or 0x06');
    addNew(this.#witnesses, witness);
    this.#define(name, witness);
  }

  #readGroup([name, count, ...names]: readonly string[]): void {
    if (name === undefined || count === undefined || names.length === 0)
      throw new RangeError('a group is written: group <name> all|any|<number> <member>…');
    const members = names.map(member => this.#take(member));
    const group = {
      kind: 'GROUP',
      name: toShownText(name),
      threshold: toThreshold(count, members.length),
      members,
    } as const;
    if (this.#groups.length === maxOfEach) throw new RangeError(`there are more than ${maxOfEach} groups`);
    this.#groups.push(group);
    this.#define(name, group);
  }

  #readQuorum([name, ...rest]: readonly string[]): void {
    if (name === undefined || rest.length > 0) throw new RangeError('a quorum is written: quorum <name>');
    if (this.#quorum !== undefined) throw new RangeError('it is the second quorum line');
    this.#quorum = name === 'none' ? {} : { member: this.#find(name) };
  }

  #define(name: string, member: PolicyMember): void {
    if (name === 'none') throw new RangeError('the name none is reserved');
    if (this.#members.has(name)) throw new RangeError(`the name ${member.name} is defined twice`);
    this.#members.set(name, member);
  }

  #find(name: string): PolicyMember {
    const member = this.#members.get(name);
    if (member === undefined) throw new RangeError(`no line before it defines ${toShownText(name)}`);
    return member;
  }

  /** Each name is a member once, so that no witness counts twice. */
  #take(name: string): PolicyMember {
    const member = this.#find(name);
    if (this.#grouped.has(member)) throw new RangeError(`${member.name} is a member of a group already`);
    this.#grouped.add(member);
    return member;
  }
}

function toLog(key: string, url: string | undefined): PolicyLog {
  return { key: parseTypedKey(parseUtf8(toBytes(key))), ...(url === undefined ? {} : { url: toShownText(url) }) };
}

function addNew<T extends PolicyLog>(list: T[], item: T): void {
  const publicKey = toHex(item.key.publicKey);
  if (list.some(other => toHex(other.key.publicKey) === publicKey))
    throw new RangeError('this public key is listed twice');
  if (list.length === maxOfEach) throw new RangeError(`there are more than ${maxOfEach} of these lines`);
  list.push(item);
}

function toThreshold(count: string, members: number): number {
  if (count === 'all') return members;
  if (count === 'any') return 1;
  const threshold = /^[1-9][0-9]{0,3}$/.test(count) ? Number(count) : Number.NaN;
  if (!(threshold <= members)) throw new RangeError(`the number of a group is all, any, or from 1 to ${members}`);
  return threshold;
}
