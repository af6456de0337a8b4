import type { Policy } from '@portico/contract/policies'
import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import IconCopy from '#icons/IconCopy'
import IconPlus from '#icons/IconPlus'
import IconShieldLock from '#icons/IconShieldLock'
import IconTrash from '#icons/IconTrash'
import IconUsersPlus from '#icons/IconUsersPlus'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { PageHeader } from '#ui/page/page-header.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import {
  DeleteDialog,
  deletePolicy,
  describeList,
  ListCard,
  nouns,
  PoliciesToGroupsDialog,
  policiesToGroupsReason,
  useBulk,
  useListState,
  usePolicies,
} from '#domain/access'
import { policyColumns, policyKeepReason } from './policy-columns.tsx'
import { PolicyDetails } from './policy-details.tsx'
import { PolicyDialog } from './policy-dialog.tsx'

const idOf = ({ _id }: Policy): string => _id
const nameOf = ({ name }: Policy): string => name
const textOf = ({ name, actions, conditions }: Policy): string => [name, ...actions, ...conditions].join('\n')

/** The dialog open over the list. */
type Open =
  | { dialog: 'form'; mode: 'create' | 'edit'; policy: Policy | null }
  | { dialog: 'delete'; policies: Policy[] }
  | { dialog: 'groups'; policies: Policy[] }

/** The policies: sets of allowed actions. Power admins change them; power users read them. */
export function PoliciesPage() {
  usePageTitle('Policies')
  useLastPageViewed()
  const mayChange = useMayAdministerAll()
  const query = usePolicies()
  const list = useListState({ items: query.data, idOf, textOf })
  const bulk = useBulk()
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  const columns = useMemo(() => {
    const onEdit = (policy: Policy): void => setOpen({ dialog: 'form', mode: 'edit', policy })
    const onDelete = (policy: Policy): void => setOpen({ dialog: 'delete', policies: [policy] })
    return policyColumns(mayChange ? { onEdit, onDelete } : null)
  }, [mayChange])
  return (
    <>
      <PageHeader
        title="Policies"
        description={describeList(
          list,
          nouns.policies,
          mayChange ? null : 'Only power admins can create and edit policies.',
        )}
        actions={
          mayChange && (
            <Button
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => setOpen({ dialog: 'form', mode: 'create', policy: null })}
            >
              NEW POLICY
            </Button>
          )
        }
      />
      <ListCard<Policy>
        noun={nouns.policies}
        label="Policies"
        Icon={IconShieldLock}
        query={query}
        list={list}
        columns={columns}
        idOf={idOf}
        nameOf={nameOf}
        expansion={(policy) => <PolicyDetails policy={policy} />}
        bulk={bulk}
        bulkActions={mayChange && <PolicyTools selected={list.selected} onOpen={setOpen} />}
      />
      {open?.dialog === 'form' && (
        <PolicyDialog policy={open.policy} mode={open.mode} others={query.data ?? []} onClose={close} />
      )}
      {open?.dialog === 'groups' && <PoliciesToGroupsDialog policies={open.policies} bulk={bulk} onClose={close} />}
      <DeleteDialog
        noun={nouns.policies}
        items={open?.dialog === 'delete' ? open.policies : []}
        nameOf={nameOf}
        remove={deletePolicy}
        bulk={bulk}
        onClose={close}
      />
    </>
  )
}

/** Actions on the selected policies. */
function PolicyTools({ selected, onOpen }: { selected: Policy[]; onOpen: (open: Open) => void }) {
  const [first] = selected
  const kept = selected.find((policy) => policyKeepReason(policy) !== null)
  return (
    <>
      <ReasonedButton
        label="Delete selected"
        Icon={IconTrash}
        reason={kept && `'${kept.name}' cannot be deleted. ${policyKeepReason(kept)}`}
        onClick={() => onOpen({ dialog: 'delete', policies: selected })}
      />
      <ReasonedButton
        label="Add to groups"
        Icon={IconUsersPlus}
        reason={policiesToGroupsReason(selected)}
        onClick={() => onOpen({ dialog: 'groups', policies: selected })}
      />
      {first && selected.length === 1 && (
        <ReasonedButton
          label="Duplicate"
          Icon={IconCopy}
          onClick={() => onOpen({ dialog: 'form', mode: 'create', policy: first })}
        />
      )}
    </>
  )
}
