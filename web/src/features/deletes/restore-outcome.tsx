import type { DeleteRecord } from '@portico/contract/deletes'
import { Text } from '@mantine/core'
import { mostKeptListed } from '@portico/contract/undo-limits'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { useCan } from '#lib/session/session.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { useMissingRecords } from './deletes-queries.ts'
import { missingTexts, restoreText } from './restore-texts.ts'

/** The result of undoing a delete, and the user who requested it. */
export function RestoreOutcome({ record }: { record: DeleteRecord }) {
  const { restore } = record
  if (!restore) return null
  const { missingRecords, missingValues } = restore
  const asked = [restoreText(record), `by ${restore.by}`, formatDate(restore.lastActivityDate ?? restore.requestDate)]
  return (
    <>
      {restore.reason !== null && <Text size="sm">{restore.reason}</Text>}
      <DefinitionList
        items={[
          { term: 'Undo', value: asked.join(', ') },
          { term: 'Contacts Returned', value: formatNumber(restore.restoredRecords) },
          { term: 'Contacts Missing', value: formatNumber(missingRecords) },
          { term: 'Values Missing', value: formatNumber(missingValues) },
        ]}
      />
      {missingRecords + missingValues > 0 && <MissingList id={record._id} count={missingRecords + missingValues} />}
    </>
  )
}

/** The contacts and values that were not restored, for users who may undo deletes. */
function MissingList({ id, count }: { id: string; count: number }) {
  const { data } = useMissingRecords(id, useCan('contact-offers-delete'))
  if (!data) return null
  const lines = data.missing.map(
    ({ contact, fields, reason }) => `${[contact, ...fields].join(', ')}: ${missingTexts[reason]}`,
  )
  const more = count > mostKeptListed ? [`The first ${mostKeptListed} are listed.`] : []
  return <NameList names={[...lines, ...more]} />
}
