import { areas } from '@portico/contract/rights/action-names'
import { findAction, knownActions } from '@portico/contract/rights/action-words'
import { Button, Select, Stack } from '@mantine/core'
import { useSearchParams } from 'react-router'
import IconDownload from '#icons/IconDownload'
import IconUserQuestion from '#icons/IconUserQuestion'
import { usePageTitle } from '#lib/deployment.ts'
import { useLastPageViewed } from '#lib/session/last-page.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { PageHeader } from '#ui/page/page-header.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { saveFile } from '#ui/save-file.ts'
import type { Column } from '#ui/table/data-table.tsx'
import { describeList, ListCard, RowNames, useBulk, useListState } from '#domain/access'
import { ActionList, GivingPolicies } from '#domain/rights'
import { limitsInWords, mayInWords, statusInWords } from './holder-words.ts'
import { holdersCsv } from './holders-csv.ts'
import { type RightHolder, useRightHolders } from './rights-queries.ts'

const noun = { one: 'person', many: 'people' }
const emailOf = ({ email }: RightHolder): string => email
const textOf = ({ email, userName, by }: RightHolder): string =>
  [email, userName ?? '', ...by.flatMap(({ policy, groups }) => [policy, ...groups])].join('\n')

const choices = areas.map((area) => ({
  group: area,
  items: knownActions
    .filter((action) => action.area === area)
    .map(({ action, name }) => ({ value: action, label: name })),
}))

const columns: Column<RightHolder>[] = [
  { key: 'email', title: 'Email', isRowHeader: true, render: emailOf },
  { key: 'status', title: 'Status', render: (holder) => statusInWords(holder) || '–' },
  { key: 'may', title: 'May', comesEarly: true, render: mayInWords },
  { key: 'by', title: 'By Policies', render: ({ by }) => <RowNames names={by.map(({ policy }) => policy)} /> },
  { key: 'limits', title: 'Limits', render: limitsInWords },
]

/** Choose an action, and see the people who may do it in the account, with the policies that give it. */
export function RightHoldersPage() {
  usePageTitle('Who Can…?')
  useLastPageViewed()
  const seesAll = useMayAdministerAll()
  const [params, setParams] = useSearchParams()
  const action = findAction(params.get('action') ?? '')?.action ?? null
  const query = useRightHolders(action)
  const list = useListState({ items: query.data, idOf: emailOf, textOf })
  const bulk = useBulk()
  const onAction = (next: string | null): void => {
    if (next === null) return
    list.table.onPageChange(1)
    setParams(
      (now) => {
        const changed = new URLSearchParams(now)
        changed.set('action', next)
        changed.delete('search')
        return changed
      },
      { replace: true },
    )
  }
  return (
    <>
      <PageHeader
        title="Who Can…?"
        description={
          action === null
            ? 'Choose an action to see who may do it, and why.'
            : describeList(list, noun, seesAll ? null : 'Global identities are visible to power admins.')
        }
        actions={<ExportButton action={action} holders={query.data} />}
      />
      <Stack gap="md">
        <Panel title="Action">
          <Select
            label="Who may do this?"
            placeholder="Search actions"
            data={choices}
            value={action}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No action has this name."
            maw={420}
            onChange={onAction}
          />
          {action !== null && <ActionList actions={[action]} />}
        </Panel>
        {action === null ? (
          <EmptyState icon={<IconUserQuestion size={22} />} title="No action is chosen." />
        ) : (
          <ListCard<RightHolder>
            noun={noun}
            label="People who may do this"
            Icon={IconUserQuestion}
            query={query}
            list={list}
            columns={columns}
            idOf={emailOf}
            nameOf={emailOf}
            expansion={({ by }) => <GivingPolicies by={by} />}
            bulk={bulk}
          />
        )}
      </Stack>
    </>
  )
}

function ExportButton({ action, holders }: { action: string | null; holders: RightHolder[] | undefined }) {
  const onClick = (): void => {
    if (action === null || !holders) return
    const content = holdersCsv(action, holders)
    saveFile(new Blob([content], { type: 'text/csv;charset=utf-8' }), `who-can-${action.replaceAll('::', '-')}.csv`)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} aria-hidden />}
      disabled={!holders || holders.length === 0}
      onClick={onClick}
    >
      Export CSV
    </Button>
  )
}
