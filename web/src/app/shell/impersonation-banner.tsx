import { ActionIcon, Button, UnstyledButton } from '@mantine/core'
import IconChevronDown from '#icons/IconChevronDown'
import IconMenu2 from '#icons/IconMenu2'
import IconUserShield from '#icons/IconUserShield'
import { formatCount, formatDate } from '#lib/formats.ts'
import { leaveImpersonation, useAccount, useUser } from '#lib/session/session.ts'
import { useShownAreas } from '../shown-areas.ts'
import { BarMenu } from './bar-menu.tsx'
import { TopEntries } from './top-entries.tsx'
import css from './impersonation-banner.module.css'

/** Replaces the top bar under an impersonation link: shows the identity, its permissions, and the expiry. */
export function ImpersonationBanner({ onDrawerOpen }: { onDrawerOpen: () => void }) {
  const { email, userName, policies, impersonatedUntil } = useUser()
  const { name } = useAccount()
  return (
    <header className={css['banner']}>
      <ActionIcon className={css['menu'] ?? ''} size={34} aria-label="Open the menu" onClick={onDrawerOpen}>
        <IconMenu2 size={20} aria-hidden />
      </ActionIcon>
      <IconUserShield size={20} stroke={1.7} className={css['icon']} aria-hidden />
      <p className={css['text']} title={email}>
        <strong>Impersonating {userName ?? email}</strong>
        <span className={css['details']}>{`${name && ` in ${name}`} until ${formatDate(impersonatedUntil)}`}</span>
      </p>
      <Permissions names={policies} />
      <TopEntries areas={useShownAreas()} />
      <Button className={css['leave'] ?? ''} variant="white" size="compact-sm" onClick={leaveImpersonation}>
        Leave
      </Button>
    </header>
  )
}

/** Permissions of the link: names of policies and features. */
function Permissions({ names }: { names: readonly string[] }) {
  return (
    <BarMenu
      label="Permissions"
      width={300}
      align="start"
      trigger={(button) => (
        <UnstyledButton className={css['permissions'] ?? ''} {...button}>
          {formatCount(names.length, 'permission')}
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      )}
    >
      {() => (
        <>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls has to be reached by keyboard */}
          <ul className={css['names']} tabIndex={0}>
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </BarMenu>
  )
}
