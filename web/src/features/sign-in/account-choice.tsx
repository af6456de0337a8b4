import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import { Alert, Anchor, Loader, Text, TextInput, Title, UnstyledButton } from '@mantine/core'
import { useRef, useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import IconChevronRight from '#icons/IconChevronRight'
import IconSearch from '#icons/IconSearch'
import { InvitationNotices } from '#domain/invitations'
import { messageOf } from '#lib/api/api-error.ts'
import { enterAccount, SupersededError, parentNameOf, signOut, useAccounts } from '#lib/session/session.ts'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import css from './account-choice.module.css'

/** With fewer accounts than this, a search box is more clutter than help. */
const searchFrom = 8

/** The accounts that a signed-in person may enter, by name. */
export function AccountChoice({ email }: { email: string }) {
  const { data: accounts, error, isPending } = useAccounts()
  const [search, setSearch] = useState('')
  const [entering, setEntering] = useState<AccountId | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  async function enter(account: AccountId): Promise<void> {
    setEntering(account)
    setFailure(null)
    try {
      await enterAccount(account)
    } catch (reason) {
      if (reason instanceof SupersededError) return
      setFailure(messageOf(reason))
      setEntering(null)
    }
  }

  // The search box, or without one the first account.
  const first = useRef<HTMLDivElement>(null)
  useInitialFocus(first, accounts !== undefined)
  const shown = matching(accounts ?? [], search)
  const [best] = shown
  const problem = failure ?? (error ? messageOf(error) : null)
  return (
    <>
      <Title order={1} size={18}>
        Choose an account
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {email} ·{' '}
        <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
          Not you? Sign out
        </Anchor>
      </Text>
      {problem && (
        <Alert color="red" mb="sm" icon={<IconAlertTriangle size={18} />} role="alert">
          {problem}
        </Alert>
      )}
      <InvitationNotices />
      <div ref={first}>
        {accounts && accounts.length >= searchFrom && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (best) void enter(best.Key)
            }}
          >
            <TextInput
              size="sm"
              mb="xs"
              aria-label="Search accounts"
              placeholder="Search accounts"
              leftSection={<IconSearch size={16} aria-hidden />}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          </form>
        )}
        {isPending && <Loader size="sm" aria-label="Loading accounts" />}
        <ul className={css['list']} aria-label="Accounts">
          {shown.map((entry) => (
            <li key={entry.Key}>
              <UnstyledButton
                className={css['account'] ?? ''}
                onClick={() => void enter(entry.Key)}
                disabled={entering !== null}
              >
                <AccountName name={entry.Value} parent={parentNameOf(entry, accounts ?? [])} />
                {entry.Key === entering ? <Loader size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </div>
      {accounts && accounts.length > 0 && shown.length === 0 && (
        <Text component="output" size="sm" c="dimmed">
          No matching account found.
        </Text>
      )}
    </>
  )
}

function AccountName({ name, parent }: { name: string; parent: string | null }) {
  return (
    <span className={css['name']} title={name}>
      {name}
      {parent !== null && <span className={css['parent']}>{`in ${parent}`}</span>}
    </span>
  )
}

function matching(accounts: AccountEntry[], search: string): AccountEntry[] {
  const wanted = search.trim().toLowerCase()
  return wanted ? accounts.filter(({ Value }) => Value.toLowerCase().includes(wanted)) : accounts
}
