// Certificate chains: from the certificate of a signer to a root named by the caller, at one time. Bounded, because
// certificates are untrusted and each step costs a signature check.
import { DerError } from './der.ts';
import { isSameBytes } from './digest.ts';
import { UnsupportedError, type VerifySignature } from './signature-schemes.ts';
import { type Certificate, isIssuedBy, keyUses, mayBeUsedFor } from './x509.ts';

const maxDepth = 8;
const maxSignatures = 64;

type ChainOptions = {
  readonly leaf: Certificate;
  /** Included with the signature; untrusted. */
  readonly others: readonly Certificate[];
  readonly roots: readonly Certificate[];
  readonly at: number;
  /** Each authority below the root that limits its purposes must allow this one. */
  readonly purpose: string;
  readonly verify: VerifySignature;
};

/** EXPIRED: there is a chain, but one of its certificates was not valid at that time. */
type ChainVerdict =
  | { readonly state: 'TRUSTED'; readonly chain: readonly Certificate[] }
  | { readonly state: 'EXPIRED' | 'UNTRUSTED' };

export async function findChain(options: ChainOptions): Promise<ChainVerdict> {
  const search = new ChainSearch(options);
  const chain = await search.from([options.leaf]);
  if (chain !== undefined) return { state: 'TRUSTED', chain };
  return { state: search.sawExpired ? 'EXPIRED' : 'UNTRUSTED' };
}

const anyPurpose = '2.5.29.37.0';
const isValidAt = ({ notBefore, notAfter }: Certificate, at: number) => notBefore <= at && at <= notAfter;
const isSame = (a: Certificate, b: Certificate) => isSameBytes(a.bytes, b.bytes);

class ChainSearch {
  readonly #options: ChainOptions;
  #signatures = 0;
  /** There is a chain to a root in which only the time is wrong. */
  sawExpired = false;

  constructor(options: ChainOptions) {
    this.#options = options;
  }

  async from(chain: readonly Certificate[]): Promise<readonly Certificate[] | undefined> {
    const { roots, others, at } = this.#options;
    const last = chain.at(-1);
    if (last === undefined) return undefined;
    if (roots.some(root => isSame(root, last))) {
      if (chain.every(certificate => isValidAt(certificate, at))) return chain;
      this.sawExpired = true;
      return undefined;
    }
    if (chain.length === maxDepth) return undefined;
    for (const issuer of [...roots, ...others]) {
      if (chain.some(certificate => isSame(certificate, issuer)) || !this.#mayIssue(issuer, chain)) continue;
      if (!(await this.#isIssuedBy(last, issuer))) continue;
      const found = await this.from([...chain, issuer]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #mayIssue(issuer: Certificate, chain: readonly Certificate[]): boolean {
    const { isAuthority, maxPathLength, purposes } = issuer.extensions;
    const { roots, purpose } = this.#options;
    const last = chain.at(-1);
    if (last === undefined || !isSameBytes(last.issuer, issuer.subject)) return false;
    if (!isAuthority || !mayBeUsedFor(issuer, keyUses.certificateSigning)) return false;
    // Authorities between the issuer and the signer; self-issued ones do not count.
    const between = chain.slice(1).filter(({ issuer: by, subject }) => !isSameBytes(by, subject)).length;
    if (maxPathLength !== undefined && between > maxPathLength) return false;
    const isLimited = purposes !== undefined && !roots.some(root => isSame(root, issuer));
    return !isLimited || purposes.oids.some(oid => oid === purpose || oid === anyPurpose);
  }

  async #isIssuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
    if (++this.#signatures > maxSignatures) return false;
    try {
      return await isIssuedBy(certificate, issuer, this.#options.verify);
    } catch (problem) {
      if (problem instanceof UnsupportedError || problem instanceof DerError) return false;
      throw problem;
    }
  }
}
