import type { Group } from '@portico/contract/policies'
import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import IconPlus from '#icons/IconPlus'
import IconShieldPlus from '#icons/IconShieldPlus'
import IconTrash from '#icons/IconTrash'
import IconUserPlus from '#icons/IconUserPlus'
import IconUsersGroup from '#icons/IconUsersGroup'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import {
  DeleteDialog,
  deleteGroup,
  describeList,
  GroupsToIdentitiesDialog,
  groupsToIdentitiesReason,
  ListCard,
  nouns,
  PoliciesIntoGroupsDialog,
  policiesIntoGroupsReason,
  useBulk,
  useGroups,
  useListState,
} from '#domain/access'
import { groupColumns, groupKeepReason } from './group-columns.tsx'
import { GroupDetails } from './group-details.tsx'
import { GroupDialog } from './group-dialog.tsx'

const idOf = ({ _id }: Group): string => _id
const nameOf = ({ name }: Group): string => name
const textOf = ({ name, policies }: Group): string => [name, ...policies.map((policy) => policy.name)].join('\n')

/** The dialog open over the list. */
type Open = { dialog: 'form'; group: Group | null } | { dialog: 'delete' | 'policies' | 'identities'; groups: Group[] }

/** The groups: sets of policies. Power admins change them; power users read them and give them to identities. */
export function GroupsPage() {
  usePageTitle('Groups')
  useLastPageViewed()
  const mayChange = useMayAdministerAll()
  const query = useGroups()
  const list = useListState({ items: query.data, idOf, textOf })
  const bulk = useBulk()
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const columns = useMemo(() => {
    const onEdit = (group: Group): void => setOpen({ dialog: 'form', group })
    const onDelete = (group: Group): void => setOpen({ dialog: 'delete', groups: [group] })
    return groupColumns(mayChange ? { onEdit, onDelete } : null)
  }, [mayChange])
  return (
    <>
      <PageHeader
        title="Groups"
        description={describeList(
          list,
          nouns.groups,
          mayChange ? null : 'Only power admins can create and edit groups.',
        )}
        actions={
          mayChange && (
            <Button
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => setOpen({ dialog: 'form', group: null })}
            >
              NEW GROUP
            </Button>
          )
        }
      />
      <ListCard<Group>
        noun={nouns.groups}
        label="Groups"
        Icon={IconUsersGroup}
        query={query}
        list={list}
        columns={columns}
        idOf={idOf}
        nameOf={nameOf}
        expansion={(group) => <GroupDetails group={group} />}
        bulk={bulk}
        bulkActions={<GroupTools selected={list.selected} mayChange={mayChange} onOpen={setOpen} />}
      />
      {open?.dialog === 'form' && <GroupDialog group={open.group} others={query.data ?? []} onClose={close} />}
      {open?.dialog === 'policies' && <PoliciesIntoGroupsDialog groups={open.groups} bulk={bulk} onClose={close} />}
      {open?.dialog === 'identities' && <GroupsToIdentitiesDialog groups={open.groups} bulk={bulk} onClose={close} />}
      <DeleteDialog
        noun={nouns.groups}
        items={open?.dialog === 'delete' ? open.groups : []}
        nameOf={nameOf}
        remove={deleteGroup}
        bulk={bulk}
        onClose={close}
      />
    </>
  )
}

type GroupToolsProps = { selected: Group[]; mayChange: boolean; onOpen: (open: Open) => void }

/** Actions on the selected groups. */
function GroupTools({ selected, mayChange, onOpen }: GroupToolsProps) {
  const kept = selected.find((group) => groupKeepReason(group) !== null)
  return (
    <>
      {mayChange && (
        <>
          <ReasonedButton
            label="Delete selected"
            Icon={IconTrash}
            reason={kept && `'${kept.name}' cannot be deleted. ${groupKeepReason(kept)}`}
            onClick={() => onOpen({ dialog: 'delete', groups: selected })}
          />
          <ReasonedButton
            label="Add policies"
            Icon={IconShieldPlus}
            reason={policiesIntoGroupsReason(selected)}
            onClick={() => onOpen({ dialog: 'policies', groups: selected })}
          />
        </>
      )}
      <ReasonedButton
        label="Add to identities"
        Icon={IconUserPlus}
        reason={groupsToIdentitiesReason(selected, mayChange)}
        onClick={() => onOpen({ dialog: 'identities', groups: selected })}
      />
    </>
  )
}
