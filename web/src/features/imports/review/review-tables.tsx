import type { ReviewedField, ReviewedKeys, ReviewOutcome } from '@portico/contract/import-review'
import { Badge, Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatNumber } from '#lib/formats.ts'
import { typeNames } from '../new-import/column-reading.ts'
import tables from '../new-import/preview-tab.module.css'
import css from './review.module.css'

/** A table that scrolls within itself. */
export function ReviewTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- nothing in it takes the focus: else no key scrolls it
    <section className={tables['scroll']} tabIndex={0} aria-label={label}>
      <table className={`${tables['table']} ${css['table']}`} aria-label={label}>
        {children}
      </table>
    </section>
  )
}

const pageSize = 50

/** The effect on each field. */
export function FieldTable({ fields }: { fields: readonly ReviewedField[] }) {
  const [shown, setShown] = useState(pageSize)
  return (
    <>
      <ReviewTable label="Fields">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Filled</th>
            <th scope="col">Changed</th>
            <th scope="col">Cells that do not fit</th>
          </tr>
        </thead>
        <tbody>
          {fields.slice(0, shown).map((field) => (
            <tr key={field.name}>
              <th scope="row">
                {field.name}
                <Text size="xs" c="dimmed" component="span" className={css['type'] ?? ''}>
                  {typeNames[field.type]}
                  {field.isNew && (
                    <Badge color="teal" variant="light" size="sm" miw="max-content">
                      New field
                    </Badge>
                  )}
                </Text>
              </th>
              <td>{formatNumber(field.filled)}</td>
              <td>{field.changed === null ? '–' : formatNumber(field.changed)}</td>
              <td className={field.misfits > 0 ? (css['problem'] ?? '') : ''}>{formatNumber(field.misfits)}</td>
            </tr>
          ))}
        </tbody>
      </ReviewTable>
      {fields.length > shown && (
        <Button variant="subtle" fullWidth onClick={() => setShown(shown + pageSize)}>
          {`Show more of the ${formatNumber(fields.length)} fields`}
        </Button>
      )}
    </>
  )
}

/** Wider tables would make the dialog slow. */
const maxColumns = 60

/** Examples of contacts that would be created: what names them, then all other fields that any of them has. */
export function CreatedTable({ created, fields, namingFields = [] }: ExamplesProps<'created' | 'fields'>) {
  const names = [...new Set([...namingFields, ...fields.map(({ name }) => name)])]
  const filled = names.filter((name) => created.some((one) => one[name] !== undefined))
  const [first, ...others] = filled.slice(0, maxColumns)
  if (first === undefined) return null
  return (
    <>
      <ReviewTable label="Contacts to create">
        <thead>
          <tr>
            {[first, ...others].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {created.map((contact, index) => (
            // They have no id yet, only their position in the file.
            <tr key={index}>
              <th scope="row">
                <Value>{contact[first]}</Value>
              </th>
              {others.map((name) => (
                <td key={name}>
                  <Value>{contact[name]}</Value>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ReviewTable>
      {filled.length > maxColumns && (
        <Text size="xs" c="dimmed" mt={4}>
          {`The first ${maxColumns} of ${formatNumber(filled.length)} fields.`}
        </Text>
      )}
    </>
  )
}

type ExamplesProps<Key extends keyof ReviewOutcome> = Pick<ReviewOutcome, Key | 'namingFields'>

/** Examples of contacts that would be changed: each changed field with its value before and after. */
export function UpdatedTable({ updated, namingFields = [] }: ExamplesProps<'updated'>) {
  return (
    <ReviewTable label="Contacts to change">
      <thead>
        <tr>
          <th scope="col">Contact</th>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      {updated.map(({ contact, named = {}, changes }, place) => (
        // Two rows may change the same contact.
        <tbody key={place}>
          {changes.map(({ field, before, after }, index) => (
            <tr key={field}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={changes.length}>
                  <ContactName contact={contact} values={namingFields.flatMap((name) => named[name] ?? [])} />
                </th>
              )}
              <th scope="row">{field}</th>
              <td>{before === null ? <span aria-label="none">–</span> : <Value>{before}</Value>}</td>
              <td>
                <Value>{after}</Value>
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </ReviewTable>
  )
}

/** A contact by the values that name it, as on other screens; by its id if it has none. */
function ContactName({ contact, values }: { contact: string; values: string[] }) {
  const name = values.slice(0, 2).join(' ')
  const keys = values.slice(2)
  return (
    <>
      <Value>{name || contact}</Value>
      {keys.length > 0 && (
        <Text size="xs" c="dimmed" component="span" display="block" fw={400}>
          {keys.join(' · ')}
        </Text>
      )}
    </>
  )
}

/** The keys that most rows have: junk such as 'n/a' stands out here. */
export function KeyTable({ keys: { fields, frequent } }: { keys: ReviewedKeys }) {
  return (
    <ReviewTable label="Most frequent keys">
      <thead>
        <tr>
          {fields.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <th scope="col">Rows</th>
        </tr>
      </thead>
      <tbody>
        {frequent.map(({ values, rows }, place) => (
          // Long values may begin alike.
          <tr key={place}>
            {fields.map((name, index) => (
              <td key={name}>
                <Value>{values[index]}</Value>
              </td>
            ))}
            <td>{formatNumber(rows)}</td>
          </tr>
        ))}
      </tbody>
    </ReviewTable>
  )
}

/** A value that wraps only where it is longer than a table should be wide. */
const Value = ({ children }: { children: ReactNode }) => <span className={css['value']}>{children}</span>

/** The first rows with cells left out, and the first rows set aside. */
export function SetAsideTable({ setAside }: Pick<ReviewOutcome, 'setAside'>) {
  return (
    <ReviewTable label="Rows and cells set aside">
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {setAside.map(({ line, reason }, place) => (
          // A row may have several misfits.
          <tr key={place}>
            <th scope="row">{formatNumber(line)}</th>
            <td>{reason}</td>
          </tr>
        ))}
      </tbody>
    </ReviewTable>
  )
}
