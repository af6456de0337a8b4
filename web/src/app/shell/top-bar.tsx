import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import IconHelp from '#icons/IconHelp'
import IconLayoutSidebarLeftCollapse from '#icons/IconLayoutSidebarLeftCollapse'
import IconLayoutSidebarLeftExpand from '#icons/IconLayoutSidebarLeftExpand'
import IconLogout from '#icons/IconLogout'
import IconMenu2 from '#icons/IconMenu2'
import IconSearch from '#icons/IconSearch'
import { useDeployment } from '#lib/deployment.ts'
import { paths } from '#lib/paths.ts'
import { signOut, useAccount } from '#lib/session/session.ts'
import { Logo } from '#ui/page/logo.tsx'
import { useShownAreas } from '../shown-areas.ts'
import { AccountPicker } from './account-picker.tsx'
import { AvatarMenu } from './avatar-menu.tsx'
import { Hint } from './hint.tsx'
import { NotificationBell } from './notifications/notification-bell.tsx'
import { ThemeMenu } from './theme-menu.tsx'
import { TopEntries } from './top-entries.tsx'
import css from './top-bar.module.css'

export type TopBarProps = {
  /** Null if the area has no side menu. */
  isMenuExpanded: boolean | null
  onMenuToggle: () => void
  onDrawerOpen: () => void
  onPaletteOpen: () => void
  onShortcutsOpen: () => void
}

export function TopBar(props: TopBarProps) {
  const account = useAccount()
  const { product, company } = useDeployment()
  return (
    <header className={css['bar']}>
      <ActionIcon
        className={css['narrow']}
        classNames={{ root: css['icon'] }}
        size={34}
        aria-label="Open the menu"
        onClick={props.onDrawerOpen}
      >
        <IconMenu2 size={20} aria-hidden />
      </ActionIcon>
      {props.isMenuExpanded !== null && <MenuToggle isExpanded={props.isMenuExpanded} onToggle={props.onMenuToggle} />}
      <Link className={css['brand']} to={paths.home()} title={company}>
        <Logo size={26} />
        <span>{product}</span>
      </Link>
      <TopEntries areas={useShownAreas()} />
      <div className={css['tools']}>
        <span className={css['accountName']} title={account.name}>
          {account.name}
        </span>
        <div className={css['account']}>
          <AccountPicker isOnBar />
        </div>
        <PaletteField onOpen={props.onPaletteOpen} />
        <NotificationBell className={css['icon'] ?? ''} />
        <ThemeMenu className={css['wide']} iconClassName={css['icon'] ?? ''} />
        <Help />
        <Tool label="Logout" onClick={() => void signOut()}>
          <IconLogout size={19} stroke={1.7} aria-hidden />
        </Tool>
        <AvatarMenu onShortcutsOpen={props.onShortcutsOpen} />
      </div>
    </header>
  )
}

/**
 * Looks like a search field; the palette it opens has the real one. Where space is short, first its text and then its
 * keys are hidden.
 */
function PaletteField({ onOpen }: { onOpen: () => void }) {
  return (
    <UnstyledButton
      className={css['search']}
      aria-label="Search or jump to… Ctrl K"
      title="Search or jump to… (Ctrl+K)"
      onClick={onOpen}
    >
      <IconSearch size={18} stroke={1.7} aria-hidden />
      <span className={css['searchText']} aria-hidden>
        Search or jump to…
      </span>
      <Kbd className={css['searchKeys']} size="xs" aria-hidden>
        Ctrl K
      </Kbd>
    </UnstyledButton>
  )
}

function MenuToggle({ isExpanded, onToggle }: { isExpanded: boolean; onToggle: () => void }) {
  const label = isExpanded ? 'Collapse the side menu' : 'Expand the side menu'
  const Icon = isExpanded ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand
  return (
    <Hint label={label} className={css['wide']}>
      <ActionIcon
        classNames={{ root: css['icon'] }}
        size={32}
        aria-label={label}
        aria-expanded={isExpanded}
        onClick={onToggle}
      >
        <Icon size={19} stroke={1.7} aria-hidden />
      </ActionIcon>
    </Hint>
  )
}

type ToolProps = { label: string; hint?: string; onClick: () => void; children: ReactNode }

function Tool({ label, hint = label, onClick, children }: ToolProps) {
  return (
    <Hint label={hint} className={css['wide']}>
      <ActionIcon classNames={{ root: css['icon'] }} size={32} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Hint>
  )
}

function Help() {
  const { helpUrl } = useDeployment()
  if (!helpUrl) return null
  return (
    <Hint label="Help" className={css['wide']}>
      <ActionIcon
        classNames={{ root: css['icon'] }}
        size={32}
        component="a"
        href={helpUrl}
        target="_blank"
        rel="noreferrer"
        aria-label="Help (opens in a new tab)"
      >
        <IconHelp size={19} stroke={1.7} aria-hidden />
      </ActionIcon>
    </Hint>
  )
}
