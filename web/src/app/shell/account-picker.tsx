import { CheckIcon, Select } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { messageOf } from '#lib/api/api-error.ts'
import { enterAccount, OvertakenError, parentNameOf, useAccount, useAccounts } from '#lib/session/session.ts'
import { mayLeave } from '#ui/form/unsaved.ts'
import { notifyError } from '#ui/feedback/notify.ts'
import { mayOpen, placeBeyondAccounts } from '../access.ts'
import { dashboardsPath } from '../screens.ts'
import css from './account-picker.module.css'

/** Enters another account in this tab. The screen stays when it is permitted there, else the dashboards open. */
export function AccountPicker({ isOnBar = false }: { isOnBar?: boolean }) {
  const account = useAccount()
  const accounts = useAccounts().data ?? []
  const enter = useEnter()
  const [isEntering, setEntering] = useState(false)

  if (accounts.length < 2) {
    return (
      <div className={css['only']} title={account.name}>
        {account.name}
      </div>
    )
  }
  return (
    <Select
      aria-label="Account"
      title={account.name}
      classNames={isOnBar ? { input: css['input'] ?? '', section: css['section'] ?? '' } : {}}
      data={accounts.map(({ Key, Value }) => ({ value: String(Key), label: Value }))}
      value={String(account.id)}
      onChange={(value) => {
        if (value === null || Number(value) === account.id) return
        setEntering(true)
        void enter(Number(value)).finally(() => setEntering(false))
      }}
      searchable
      // So that typing searches instead of adding to the name of the account.
      onFocus={(event) => event.currentTarget.select()}
      selectFirstOptionOnChange
      allowDeselect={false}
      disabled={isEntering}
      limit={100}
      nothingFoundMessage="No matching account found."
      renderOption={({ option: { value, label }, checked = false }) => {
        const entry = accounts.find(({ Key }) => String(Key) === value)
        return <AccountOption name={label} parent={entry ? parentNameOf(entry, accounts) : null} isCurrent={checked} />
      }}
      comboboxProps={{ shadow: 'md', ...(isOnBar && { width: 280, position: 'bottom-end' }) }}
      styles={{ options: { maxHeight: 360 } }}
    />
  )
}

type AccountOptionProps = { name: string; parent: string | null; isCurrent: boolean }

function AccountOption({ name, parent, isCurrent }: AccountOptionProps) {
  return (
    <>
      <span className={css['option']} title={name}>
        {name}
        {parent !== null && <span className={css['parent']}>{`in ${parent}`}</span>}
      </span>
      {isCurrent && <CheckIcon size={10} aria-hidden />}
    </>
  )
}

/** Enters an account and says why when it can't be entered. */
export function useEnter() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return async (account: number): Promise<void> => {
    if (!(await mayLeave())) return
    try {
      const user = await enterAccount(account)
      // Without the search part: page and order belong to the other account's list.
      const place = placeBeyondAccounts(pathname)
      await navigate(mayOpen(place, user) ? place : dashboardsPath)
    } catch (error) {
      if (!(error instanceof OvertakenError)) notifyError(messageOf(error))
    }
  }
}
