import type { CellAnswer } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import type { Interaction } from '@portico/contract/dashboards/interaction'
import { contactsOf } from '@portico/contract/dashboards/narrowing'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { readGroupedColumns } from '@portico/domain/pipeline/search-rows'
import { Menu } from '@mantine/core'
import { Link } from 'react-router'
import IconAddressBook from '#icons/IconAddressBook'
import IconBookmark from '#icons/IconBookmark'
import IconFileExport from '#icons/IconFileExport'
import IconListDetails from '#icons/IconListDetails'
import { filterFields, filterSentence } from '#domain/filters'
import { ExportResultsDialog, SaveSearchDialog, searchPath } from '#domain/results'
import { useCan } from '#lib/session/session.ts'
import { type CellStages, useCellStages } from './cell-stages.ts'
import type { FilledCell } from './cells/cell-props.ts'

/** A dialog about a cell's question, as it was when the dialog opened. */
export type SearchDialog = { kind: 'save' | 'export' } & CellStages

type SearchItemsProps = {
  cell: FilledCell
  definition: Definition
  interaction: Interaction
  onEvents: () => void
  onDialog: (dialog: SearchDialog) => void
}

/** Entries of a cell's menu on the contacts behind it, for users who may search them. */
export function SearchItems({ cell, definition, interaction, onEvents, onDialog }: SearchItemsProps) {
  const known = useCellStages(cell, definition, interaction)
  const canSave = useCan('contact-rdls-create')
  const canExport = useCan('contact-export-create')
  if (!known) return null
  const contacts = contactsOf(known.stages)
  return (
    <>
      <Menu.Divider />
      {contacts && (
        <Menu.Item component={Link} to={searchPath(contacts)} leftSection={<IconAddressBook size={15} aria-hidden />}>
          Open contacts
        </Menu.Item>
      )}
      {contacts && (
        <Menu.Item leftSection={<IconListDetails size={15} aria-hidden />} onClick={onEvents}>
          Show events
        </Menu.Item>
      )}
      {contacts && contacts.length > 0 && canSave && (
        <Menu.Item
          leftSection={<IconBookmark size={15} aria-hidden />}
          onClick={() => onDialog({ kind: 'save', ...known, stages: contacts })}
        >
          Save as a filter
        </Menu.Item>
      )}
      {canExport && (
        <Menu.Item
          leftSection={<IconFileExport size={15} aria-hidden />}
          onClick={() => onDialog({ kind: 'export', ...known })}
        >
          Export
        </Menu.Item>
      )}
    </>
  )
}

type SearchDialogsProps = {
  dialog: SearchDialog
  cell: FilledCell
  answer: CellAnswer | undefined
  onClose: () => void
}

/** Saves the contacts of a cell as a filter, or exports its rows: groups as groups, everything else as contacts. */
export function SearchDialogs({ dialog, cell, answer, onClose }: SearchDialogsProps) {
  const { kind, stages, fields } = dialog
  const contacts = contactsOf(stages) ?? stages
  const sentence = sentenceOf(contacts, fields)
  if (kind === 'save') return <SaveSearchDialog stages={contacts} sentence={sentence} onClose={onClose} />
  const { filter, type } = cell.chart
  const columns = type === 'KPI' ? null : readGroupedColumns(stages)
  const order: Pipeline = filter?.sort ? [{ kind: 'sort', order: filter.sort }] : []
  return (
    <ExportResultsDialog
      stages={[...(columns ? stages : contacts), ...order]}
      sentence={sentence}
      count={type === 'KPI' ? null : (answer?.total ?? null)}
      columns={columns}
      fields={fields}
      shown={filter?.columns ?? []}
      onClose={onClose}
    />
  )
}

const sentenceOf = (stages: Pipeline, fields: CellStages['fields']): string =>
  filterSentence(stages, filterFields([...fields]), () => undefined)
