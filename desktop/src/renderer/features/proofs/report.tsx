// Report of the verifier: the verdict and its meaning, next steps, and every check.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { checkTexts } from '@recordproof/verifier/report/check-texts.ts';
import { listFacts } from '@recordproof/verifier/report/facts.ts';
import { describeFinding } from '@recordproof/verifier/report/finding-texts.ts';
import { listNextSteps } from '@recordproof/verifier/report/next-steps.ts';
import { explain } from '@recordproof/verifier/report/outcome-texts.ts';
import { describeStatements } from '@recordproof/verifier/report/statements.ts';
import type { CheckResult, VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { useEffect, useRef } from 'react';
import type { Verified } from '../../../bridge/bridge.ts';
import { useLanguage, useTexts } from '../../context.ts';
import { Certificate, type Checked } from './certificate.tsx';
import { Existence } from './existence.tsx';
import { Statements } from './statements.tsx';

type Reported = { readonly report: VerificationReport };

const tones = { VALID: 'good', INVALID: 'bad', INDETERMINATE: 'open', ERROR: 'broken' } as const;
const checkTones = { PASS: 'good', FAIL: 'bad', INDETERMINATE: 'open', ERROR: 'broken', NOT_RUN: '' } as const;
const standingOf = ({ status, code }: CheckResult): keyof typeof checkTones =>
  code === 'NOT_RUN' ? 'NOT_RUN' : status;

export function Report({ report, existence, checked }: Verified & { readonly checked: Checked }) {
  const texts = useTexts().check;
  const language = useLanguage();
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => title.current?.focus(), []);
  const { headline, meaning, limits } = explain(report, language);
  const steps = listNextSteps(report, language);
  return (
    <div ref={shown} className="stack">
      <section className={`verdict ${tones[report.outcome]}`}>
        <p className="chip">{report.outcome}</p>
        <h2 ref={title} tabIndex={-1}>
          {headline}
        </h2>
        <p>{texts.judged(toShownName(checked.original.name))}</p>
        <h3>{texts.means}</h3>
        <p>{meaning}</p>
        <h3>{texts.meansNot}</h3>
        <p>{limits}</p>
        {steps.length > 0 && <h3>{texts.canDo}</h3>}
        <ul>
          {steps.map(step => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      </section>
      <Statements {...describeStatements(report, existence?.told, language)} />
      {existence && <Existence existence={existence.told} />}
      <Facts report={report} />
      <Checks report={report} />
      <Certificate report={report} checked={checked} shown={shown} />
    </div>
  );
}

function Facts({ report }: Reported) {
  const texts = useTexts().check;
  const language = useLanguage();
  return (
    <section className="card form">
      <h2>{texts.facts}</h2>
      <dl className="facts">
        {listFacts(report, language).flatMap(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name} value`}>
            <code>{value}</code>
          </dd>,
        ])}
      </dl>
    </section>
  );
}

function Checks({ report }: Reported) {
  const texts = useTexts().check;
  const language = useLanguage();
  return (
    <section className="card form">
      <h2>{texts.checks}</h2>
      <ul className="checks">
        {report.checks.map(check => {
          const standing = standingOf(check);
          return (
            <li key={check.id}>
              <span className={`chip ${checkTones[standing]}`}>{texts.status[standing]}</span>
              <span>{describeFinding(check, language) ?? checkTexts[language][check.id]}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
