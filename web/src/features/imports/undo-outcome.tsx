import type { Import } from '@portico/contract/imports'
import { formatNumber } from '#lib/formats.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { useImportUndo } from './imports-queries.ts'
import { KeptList } from './kept-list.tsx'

/** The effect of an import that was undone. */
export function UndoOutcome({ item }: { item: Import }) {
  const { data: figures } = useImportUndo(item._id)
  if (!figures) return null
  if (item.kind === 'events') {
    return (
      <DefinitionList
        items={[
          { term: 'Events Deleted', value: formatNumber(figures.removedEvents) },
          ...(figures.removedOthers > 0
            ? [{ term: 'Contacts Deleted', value: formatNumber(figures.removedOthers) }]
            : []),
        ]}
      />
    )
  }
  return (
    <DefinitionList
      items={[
        { term: 'Contacts Deleted', value: formatNumber(figures.removedContacts + figures.removedOthers) },
        { term: 'Contacts Returned', value: formatNumber(figures.returnedContacts) },
        { term: 'Contacts Kept', value: formatNumber(figures.keptContacts) },
        { term: 'Values Kept', value: formatNumber(figures.keptValues) },
        { term: 'Fields Deleted', value: figures.removedFields.join(', ') },
        ...(figures.kept.length > 0
          ? [{ term: 'Kept', value: <KeptList figures={figures} />, isWide: true, key: 'kept' }]
          : []),
      ]}
    />
  )
}
