import type { Feature } from '@portico/contract/features'
import { Select } from '@mantine/core'
import { useState } from 'react'
import { useLocation, useMatches, useNavigate } from 'react-router'
import { messageOf } from '#lib/api-error.ts'
import { enterAccount, useAccount, useAccounts } from '#lib/session.ts'
import { notifyError } from '#ui/notify.ts'
import { listService } from '../screens.ts'
import css from './account-picker.module.css'

/** Enters another account in this tab. The screen stays when it is permitted there, else the first permitted opens. */
export function AccountPicker({ isOnBar = false }: { isOnBar?: boolean }) {
  const account = useAccount()
  const accounts = useAccounts().data ?? []
  const enter = useEnter()
  const [isEntering, setEntering] = useState(false)

  if (accounts.length < 2) return <div className={css['only']}>{account.name}</div>
  return (
    <Select
      aria-label="Account"
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
      checkIconPosition="right"
      comboboxProps={{ shadow: 'md' }}
      styles={{ options: { maxHeight: 360 } }}
    />
  )
}

function useEnter() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const feature = neededFeature(useMatches().map(({ handle }) => handle))
  return async (account: number): Promise<void> => {
    try {
      const { policies } = await enterAccount(account)
      const mayStay = feature === null || policies.includes(feature)
      // Without the search part: page and order belong to the other account's list.
      await navigate(mayStay ? pathname : listService, { replace: mayStay })
    } catch (error) {
      notifyError(messageOf(error))
    }
  }
}

/** The feature that the shown screen needs; its route says so. */
function neededFeature(handles: unknown[]): Feature | null {
  // Only `screenRoute` sets handles, and always with a feature.
  const found = handles.find((handle) => handle !== undefined) as { feature: Feature } | undefined
  return found?.feature ?? null
}
