import type { KeptReason, UndoFigures } from '@portico/contract/import-undo'
import { mostKeptListed } from '@portico/contract/undo-limits'
import { NameList } from '#ui/page/name-list.tsx'

const reasonTexts: Record<KeptReason, string> = {
  edited: 'it was edited',
  events: 'it has events',
  imported: 'a later import changed it',
  changed: 'it was changed since',
  taken: 'another contact has its earlier value',
}

/** The contacts and values that stay when an import is undone, each with the reason. */
export function KeptList({ figures: { kept, keptContacts, keptValues } }: { figures: UndoFigures }) {
  if (kept.length === 0) return null
  const lines = kept.map(
    ({ contact, field, reason }) => `${contact}${field === null ? '' : `, ${field}`}: ${reasonTexts[reason]}`,
  )
  const more = keptContacts + keptValues > mostKeptListed ? [`The first ${mostKeptListed} are listed.`] : []
  return <NameList names={[...lines, ...more]} />
}
