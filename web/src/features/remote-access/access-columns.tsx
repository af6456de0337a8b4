import type { RemoteAccess, RemoteAccessType } from '@portico/contract/remote-access'
import { Badge, Group, Tooltip } from '@mantine/core'
import IconPencil from '#icons/IconPencil'
import IconTrash from '#icons/IconTrash'
import { formatDate } from '#lib/formats.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { StatusBadge } from '#ui/feedback/status-badge.tsx'
import type { Column } from '#ui/table/data-table.tsx'
import { authenticationOf, columnsLabel, publicColumnsOf } from './access-form.ts'
import { obstaclesOf } from './access-state.ts'
import css from './remote-access.module.css'

export const typeLabels: Record<RemoteAccessType, string> = { domain: 'Domain', ip: 'IP Address' }

/** Actions of a row; null for those the user may not take. */
export type AccessActions = {
  onEdit: ((access: RemoteAccess) => void) | null
  /** Why no row can be edited. */
  whyNotEdit: string | null
  onDelete: ((access: RemoteAccess) => void) | null
}

/** The columns of specification 4 §2, and the state. */
export const accessColumns = (actions: AccessActions): Column<RemoteAccess>[] => [
  { key: 'type', title: 'Type', isSortable: true, render: ({ type }) => typeLabels[type] },
  {
    key: 'domainOrIp',
    title: 'Domain or IP Address',
    isRowHeader: true,
    isSortable: true,
    render: ({ domainOrIp }) => <span className={css['name']}>{domainOrIp}</span>,
  },
  { key: 'state', title: 'State', comesEarly: true, render: (access) => <State access={access} /> },
  {
    key: 'includeSubDomains',
    title: 'Include Subdomains',
    isSortable: true,
    render: ({ includeSubDomains }) => (includeSubDomains ? 'True' : 'False'),
  },
  {
    key: 'filter',
    title: 'Columns to Authenticate with',
    render: (access) => columnsLabel(authenticationOf(access)) || access.filter,
  },
  { key: 'publicColumns', title: 'Public Columns', render: (access) => <Chips names={publicColumnsOf(access)} /> },
  {
    key: 'creationDate',
    title: 'Creation Date',
    isSortable: true,
    render: ({ creationDate }) => formatDate(creationDate),
  },
  ...(actions.onEdit || actions.onDelete ? [actionsColumn(actions)] : []),
]

/** Columns that the server sorts by. */
export const sortableFields = ['type', 'domainOrIp', 'includeSubDomains', 'creationDate']

const actionsColumn = ({ onEdit, whyNotEdit, onDelete }: AccessActions): Column<RemoteAccess> => ({
  key: 'actions',
  title: 'Actions',
  isPinned: true,
  width: 80,
  render: (access) => (
    <Group gap={4} wrap="nowrap">
      {onEdit && (
        <RowButton
          label={`Edit ${access.domainOrIp}`}
          hint="Edit"
          Icon={IconPencil}
          reason={whyNotEdit}
          onClick={() => onEdit(access)}
        />
      )}
      {onDelete && (
        <RowButton
          label={`Delete ${access.domainOrIp}`}
          hint="Delete"
          Icon={IconTrash}
          color="red"
          onClick={() => onDelete(access)}
        />
      )}
    </Group>
  ),
})

/** Number of chips that fit into a row; the others are counted. */
const shownChips = 3

function Chips({ names }: { names: string[] }) {
  const hidden = names.slice(shownChips)
  return (
    <span className={css['chips']}>
      {names.slice(0, shownChips).map((name) => (
        <Badge key={name} color="gray" tt="none" fw={500} maw={150} title={name}>
          {name}
        </Badge>
      ))}
      {hidden.length > 0 && (
        <Tooltip label={hidden.join(', ')} multiline maw={380}>
          <Badge color="gray" tt="none" fw={600} miw="max-content">{`+${hidden.length}`}</Badge>
        </Tooltip>
      )}
    </span>
  )
}

/** Whether the access serves callers; if not, every reason. */
function State({ access }: { access: RemoteAccess }) {
  const obstacles = obstaclesOf(access)
  if (obstacles.length === 0) return <StatusBadge status="active" />
  return (
    <div className={css['state']}>
      {obstacles.map((one) =>
        one === 'building' ? (
          <Tooltip key={one} label="Not served yet: contacts are found by an index of the authentication columns.">
            <Badge color="blue" tt="none" fw={600} miw="max-content">
              Index is being built
            </Badge>
          </Tooltip>
        ) : (
          <StatusBadge key={one} status={one} />
        ),
      )}
      {access.stopped !== null && (
        <span className={css['problem']}>{`${access.stopped} Save it again to serve it.`}</span>
      )}
      {access.index.state === 'failed' && (
        <span className={css['problem']}>{`The index could not be built. ${access.index.reason ?? ''}`}</span>
      )}
    </div>
  )
}
