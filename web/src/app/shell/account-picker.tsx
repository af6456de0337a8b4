import { useState } from 'react'
import IconSelector from '#icons/IconSelector'
import { useAccount, useAccounts } from '#lib/session/session.ts'
import type { EarlyAction } from './account-select.tsx'
import { useOnDemand } from './palette/on-demand.ts'
import css from './account-picker.module.css'

/** Enters another account in this tab. The screen stays if it is permitted there, else the dashboards open. */
export function AccountPicker({ isOnBar = false }: { isOnBar?: boolean }) {
  const account = useAccount()
  const accounts = useAccounts().data ?? []
  const { Part: AccountSelect, ask } = useOnDemand(async () => (await import('./account-select.tsx')).AccountSelect)
  const [earlyAction, setEarlyAction] = useState<EarlyAction>('nothing')
  const askFor = (next: EarlyAction) => (): void => {
    ask()
    setEarlyAction((before) => (before === 'options' ? before : next))
  }
  if (accounts.length < 2) {
    return (
      <div className={css['only']} title={account.name}>
        {account.name}
      </div>
    )
  }
  if (AccountSelect) return <AccountSelect isOnBar={isOnBar} earlyAction={earlyAction} />
  return (
    <div className={css['standIn']} data-bar={isOnBar || undefined}>
      {/* Looks like the field whose code it loads, which would be a tenth of the first load. */}
      <input
        // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- closed, it has no list that it could control
        role="combobox"
        aria-label="Account"
        aria-haspopup="listbox"
        aria-expanded={false}
        title={account.name}
        value={account.name}
        readOnly
        onPointerEnter={ask}
        onFocus={askFor('focus')}
        onBlur={() => setEarlyAction('nothing')}
        onMouseDown={askFor('options')}
        onKeyDown={({ key }) => key.startsWith('Arrow') && askFor('options')()}
      />
      <IconSelector size={16} stroke={1.6} aria-hidden />
    </div>
  )
}
