// What a verification leaves on paper: which files, when, and what it is worth. A certificate only where all was confirmed.

import { appFilesWords } from '@recordproof/shared/words/app-files.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { useLanguage } from '../../context.ts';
import { formatNumber, formatTime } from '../../format.ts';

export type Checked = {
  readonly original: File;
  readonly proof: File;
  /** The server that answered for issuer and chain. */
  readonly asked: string | null;
};

/** Nothing that could hide or turn around what stands beside it. */
const toName = ({ name }: File): string => name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

export function Certificate({ report, checked }: { readonly report: VerificationReport; readonly checked: Checked }) {
  const language = useLanguage();
  const say = appFilesWords[language];
  const { computedContentHash } = report.summary;
  return (
    <section className="card form">
      <h2>{report.outcome === 'VALID' ? say.certificate : say.noCertificate}</h2>
      <dl className="facts">
        <dt>{say.original}</dt>
        <dd>
          <bdi>{toName(checked.original)}</bdi>
          <br />
          {say.bytes(formatNumber(checked.original.size, language))}
          <br />
          <code>{computedContentHash ?? say.unread}</code>
        </dd>
        <dt>{say.archive}</dt>
        <dd>
          <bdi>{toName(checked.proof)}</bdi>
          <br />
          {say.bytes(formatNumber(checked.proof.size, language))}
        </dd>
        <dt>{say.asked}</dt>
        <dd>{checked.asked === null ? say.nobody : <code>{checked.asked}</code>}</dd>
      </dl>
      <p className="small">{say.trust[report.summary.keySource]}</p>
      <p className="small">{say.about(report.verifierVersion, formatTime(report.verifiedAt, language))}</p>
      <p className="small">{say.unsigned}</p>
      <div className="actions unprinted">
        <button type="button" className="plain" onClick={() => globalThis.print()}>
          {say.print}
        </button>
      </div>
    </section>
  );
}
