import type { Identity } from '@portico/contract/identities'
import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import IconUser from '#icons/IconUser'
import IconUsersPlus from '#icons/IconUsersPlus'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useNewForm } from '#lib/open-new.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import {
  DeleteDialog,
  deleteIdentity,
  describeList,
  GroupsIntoIdentitiesDialog,
  identityName,
  ListCard,
  nouns,
  useBulk,
  useIdentities,
  useListState,
} from '#domain/access'
import { IdentityCredentials } from './identity-credentials.tsx'
import { IdentityActions, identityLockReason } from './identity-actions.tsx'
import { identityColumns } from './identity-columns.tsx'
import { IdentityDetails } from './identity-details.tsx'
import { IdentityDialog } from './identity-dialog.tsx'
import { SignOutDialog } from './sign-out-dialog.tsx'

const idOf = ({ _id }: Identity): string => _id
const textOf = ({ email, userName, groups }: Identity): string =>
  [email, userName ?? '', ...groups.map(({ name }) => name)].join('\n')

/** The dialog open over the list. */
type Open =
  | { dialog: 'form' | 'sign-out'; identity: Identity }
  | { dialog: 'credentials'; id: string }
  | { dialog: 'delete' | 'groups'; identities: Identity[] }

/** The identities: people and services that may work in the account, with their groups, times and networks. */
export function IdentitiesPage() {
  usePageTitle('Identities')
  useLastPageViewed()
  const query = useIdentities()
  const list = useListState({ items: query.data, idOf, textOf })
  const bulk = useBulk()
  const [open, setOpen] = useState<Open | null>(null)
  const [isAdding, adding] = useNewForm()
  const close = (): void => setOpen(null)
  const columns = useMemo(
    () =>
      identityColumns((identity) => (
        <IdentityActions
          identity={identity}
          onEdit={() => setOpen({ dialog: 'form', identity })}
          onCredentials={({ _id: id }) => setOpen({ dialog: 'credentials', id })}
          onSignOut={() => setOpen({ dialog: 'sign-out', identity })}
          onDelete={() => setOpen({ dialog: 'delete', identities: [identity] })}
        />
      )),
    [],
  )
  // The current version: the dialog changes it.
  const managed = open?.dialog === 'credentials' ? query.data?.find(({ _id }) => _id === open.id) : undefined
  return (
    <>
      <PageHeader
        title="Identities"
        description={describeList(list, nouns.identities)}
        actions={
          <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={adding.open}>
            NEW IDENTITY
          </Button>
        }
      />
      <ListCard<Identity>
        noun={nouns.identities}
        label="Identities"
        Icon={IconUser}
        query={query}
        list={list}
        columns={columns}
        idOf={idOf}
        nameOf={identityName}
        expansion={(identity) => <IdentityDetails identity={identity} />}
        bulk={bulk}
        bulkActions={<IdentityTools selected={list.selected} onOpen={setOpen} />}
      />
      {isAdding && query.data && <IdentityDialog identity={null} others={query.data} onClose={adding.close} />}
      {open?.dialog === 'form' && <IdentityDialog identity={open.identity} others={query.data ?? []} onClose={close} />}
      {managed && <IdentityCredentials identity={managed} onClose={close} />}
      {open?.dialog === 'groups' && (
        <GroupsIntoIdentitiesDialog identities={open.identities} bulk={bulk} onClose={close} />
      )}
      <SignOutDialog identity={open?.dialog === 'sign-out' ? open.identity : null} onClose={close} />
      <DeleteDialog
        noun={nouns.identities}
        items={open?.dialog === 'delete' ? open.identities : []}
        nameOf={identityName}
        remove={deleteIdentity}
        bulk={bulk}
        onClose={close}
      />
    </>
  )
}

/** Actions on the selected identities. */
function IdentityTools({ selected, onOpen }: { selected: Identity[]; onOpen: (open: Open) => void }) {
  const mayAdministerAll = useMayAdministerAll()
  const locked = selected.find((identity) => !identity.canBeChanged)
  const reason =
    locked && `'${identityName(locked)}' cannot be changed. ${identityLockReason(locked, mayAdministerAll)}`
  return (
    <>
      <ReasonedButton
        label="Delete selected"
        Icon={IconTrash}
        reason={reason}
        onClick={() => onOpen({ dialog: 'delete', identities: selected })}
      />
      <ReasonedButton
        label="Add groups"
        Icon={IconUsersPlus}
        reason={reason}
        onClick={() => onOpen({ dialog: 'groups', identities: selected })}
      />
    </>
  )
}
