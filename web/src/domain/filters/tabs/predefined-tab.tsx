import { formatPipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Button, Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import IconPencil from '#icons/IconPencil'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { messageOf } from '#lib/api/api-error.ts'
import { useAccount, useCan } from '#lib/session/session.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { draftOf } from '../draft.ts'
import type { Filter, FilterField } from '../stages/filter.ts'
import { needsSavedFilters, useSavedFilter, useSavedFilters } from '../filter-queries.ts'
import { readFilter } from '../stages/filter-of.ts'
import { DeleteFilterDialog, SaveFilterDialog } from './saved-filter-dialogs.tsx'
import { sentenceOf } from '../stages/sentence-of.ts'
import { stagesOf } from '../stages/stages-of.ts'
import type { TabProps } from '../props.ts'

type Mode = 'add' | 'edit' | 'delete'

type PredefinedTabProps = TabProps & {
  fields: readonly FilterField[]
  /** The filter of the other tabs, to save under a name; null while it is incomplete. */
  others: Filter | null
  /** The filter of this id was deleted. */
  onDeleted: (id: string) => void
}

/** Saved filters: a selected one replaces everything on the other tabs. */
export function PredefinedTab(props: PredefinedTabProps) {
  if (useCan('contact-rdls-list')) return <SavedFilters {...props} />
  return <Text size="sm">{needsSavedFilters}</Text>
}

function SavedFilters({ draft, onChange, fields, others, onDeleted }: PredefinedTabProps) {
  const [mode, setMode] = useState<Mode | null>(null)
  const canAdd = useCan('contact-rdls-create')
  const canEdit = useCan('contact-rdls-update')
  const canDelete = useCan('contact-rdls-delete')
  const saved = useSavedFilters()
  const chosen = useSavedFilter(draft.predefined)
  const account = useAccount()
  const entry = saved.data?.find(({ _id }) => _id === draft.predefined)
  const kept = chosen.data?.stages && readFilter(chosen.data.stages, fields)
  const options = (saved.data ?? []).map(({ _id, name, isOwn }) => ({
    value: _id,
    label: isOwn ? name : `${name} (of the parent account)`,
  }))
  const reason = entry ? (entry.isOwn ? null : 'Owned by the parent account.') : 'Choose a predefined filter first.'
  const problem = saved.error ? messageOf(saved.error) : chosen.problem
  return (
    <>
      <Group align="end" gap="xs">
        <Select
          label="Predefined filter"
          placeholder={saved.data?.length === 0 ? 'No predefined filters are available.' : 'Choose a filter'}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the predefined filter' }}
          flex={1}
          miw={200}
          maw={460}
          nothingFoundMessage="No matching predefined filters found."
          data={options}
          value={draft.predefined}
          error={problem}
          onChange={(predefined) => onChange({ ...draft, predefined })}
        />
        <Group gap="xs">
          {canAdd && <ReasonedButton label="Add" Icon={IconPlus} onClick={() => setMode('add')} />}
          {canEdit && <ReasonedButton label="Edit" Icon={IconPencil} reason={reason} onClick={() => setMode('edit')} />}
          {canDelete && (
            <ReasonedButton label="Delete" Icon={IconTrash} reason={reason} onClick={() => setMode('delete')} />
          )}
        </Group>
      </Group>
      {kept ? (
        <>
          <Text size="sm" mt="sm">
            {kept.advanced ? formatPipeline(kept.advanced.stages) : sentenceOf(kept)}
          </Text>
          <Group gap="sm" mt="sm">
            <Button variant="default" onClick={() => onChange(draftOf(kept))}>
              Copy to the tabs
            </Button>
            <Text size="xs" c="dimmed" flex={1}>
              While selected, it replaces all other tabs. Copy it to the tabs to edit it.
            </Text>
          </Group>
        </>
      ) : (
        <Text size="xs" c="dimmed" mt="sm">
          A chosen filter takes the place of all other tabs.
        </Text>
      )}
      {mode === 'add' && (
        <SaveFilterDialog
          saved={null}
          query={JSON.stringify(others ? writePipeline(stagesOf(others)) : [], null, 2)}
          account={account.name}
          onSaved={(id) => onChange({ ...draft, predefined: id })}
          onClose={() => setMode(null)}
        />
      )}
      {mode === 'edit' && chosen.data && (
        <SaveFilterDialog
          saved={chosen.data}
          query=""
          account={account.name}
          onSaved={() => onChange({ ...draft })}
          onClose={() => setMode(null)}
        />
      )}
      {mode === 'delete' && entry && (
        <DeleteFilterDialog entry={entry} onDeleted={() => onDeleted(entry._id)} onClose={() => setMode(null)} />
      )}
    </>
  )
}
