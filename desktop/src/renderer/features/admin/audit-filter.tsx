import { useState } from 'react';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import type { AuditSearch } from './commands.ts';
import { useAdminSay } from './use-admin-say.ts';

export function AuditFilter({ onFind }: { readonly onFind: (search: AuditSearch) => void }) {
  const { log: say } = useAdminSay();
  const [username, setUsername] = useState('');
  const [module, setModule] = useState('');
  const [operation, setOperation] = useState('');
  const [refused, setRefused] = useState(false);
  const find = () => onFind({ username: username.trim(), module: module.trim(), operation: operation.trim(), refused });
  return (
    <Form className="filters" onSend={find}>
      <Field label={say.username} value={username} onText={setUsername} maxLength={64} />
      <Field label={say.module} value={module} onText={setModule} maxLength={64} />
      <Field label={say.operation} value={operation} onText={setOperation} maxLength={64} />
      <label className="check">
        <input type="checkbox" checked={refused} onChange={event => setRefused(event.target.checked)} />
        {say.onlyRefused}
      </label>
      <button type="submit" className="plain">
        {say.find}
      </button>
    </Form>
  );
}
