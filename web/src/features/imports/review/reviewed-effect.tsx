import type { ReviewOutcome } from '@portico/contract/import-review'
import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { CreatedTable, FieldTable, KeyTable, SetAsideTable, UpdatedTable } from './review-tables.tsx'
import { hasHiddenCounts, keysText, shownOf } from './review-texts.ts'
import css from './review.module.css'

/** The outcome of a review: its counts, its fields, and examples of the changes. */
export function ReviewedEffect({ outcome }: { outcome: ReviewOutcome }) {
  const { fields, created, updated, setAside, namingFields, keys } = outcome
  return (
    <>
      <Figures outcome={outcome} />
      {hasHiddenCounts(outcome) && <Text size="sm">{hiddenCountsText}</Text>}
      {keys && keysText(keys) !== null && (
        <Section title="Dedup keys" note={keysText(keys)}>
          {keys.frequent.length > 0 && <KeyTable keys={keys} />}
        </Section>
      )}
      {fields.length > 0 && (
        <Section title="Fields">
          <FieldTable fields={fields} />
        </Section>
      )}
      {outcome.createdRecords !== null && outcome.createdRecords > 0 && (
        <Section title="Contacts to create" note={examplesNote(outcome, created.length, outcome.createdRecords)}>
          {created.length > 0 && <CreatedTable created={created} fields={fields} namingFields={namingFields} />}
        </Section>
      )}
      {outcome.updatedRecords !== null && outcome.updatedRecords > 0 && (
        <Section title="Contacts to change" note={examplesNote(outcome, updated.length, outcome.updatedRecords)}>
          {updated.length > 0 && <UpdatedTable updated={updated} namingFields={namingFields} />}
        </Section>
      )}
      {setAside.length > 0 && (
        <Section title="Rows and cells set aside" note={setAsideNote(outcome)}>
          <SetAsideTable setAside={setAside} />
        </Section>
      )}
    </>
  )
}

const hiddenCountsText =
  'How many contacts this would create and change, and which, is shown only to people who see all contacts and may search by all fields of the file.'

/** The figures that the import itself will have, under the same names; without those that the user may not know. */
function Figures({ outcome }: { outcome: ReviewOutcome }) {
  const figures = [
    { term: 'Created', value: outcome.createdRecords },
    { term: 'Updated', value: outcome.updatedRecords },
    { term: 'Unchanged', value: outcome.unchangedRecords },
    { term: 'Rows Set Aside', value: outcome.setAsideRecords, isProblem: true },
    { term: 'Cells Set Aside', value: outcome.setAsideCells, isProblem: true },
    { term: 'Empty Rows Skipped', value: outcome.emptyRecords },
  ].flatMap(({ value, ...figure }) => (value === null ? [] : { ...figure, value }))
  return (
    <dl className={css['figures']}>
      {figures.map(({ term, value, isProblem = false }) => (
        <div key={term} data-problem={(isProblem && value > 0) || undefined}>
          <dt>{term}</dt>
          <dd>{formatNumber(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

type SectionProps = { title: string; note?: string | null; children: ReactNode }

function Section({ title, note, children }: SectionProps) {
  return (
    <div>
      <Title order={4} size={14} mb={6}>
        {title}
      </Title>
      {note && (
        <Text size="xs" c="dimmed" mb={6}>
          {note}
        </Text>
      )}
      {children}
    </div>
  )
}

function examplesNote({ examplesLeftOut }: ReviewOutcome, shown: number, all: number): string | null {
  if (shown > 0) return shownOf(shown, all)
  if (examplesLeftOut)
    return 'The examples are too long to be shown. Review the file again to see the beginnings of their values.'
  return 'Examples are shown only of contacts that you may see.'
}

/** A row with cells left out counts once here, however many cells: there is no total of such rows. */
const setAsideNote = ({ setAside, setAsideRecords, setAsideCells }: ReviewOutcome): string | null =>
  setAside.length < setAsideRecords + setAsideCells ? `The first ${formatCount(setAside.length, 'row')}.` : null
