import { ActionIcon, Tooltip } from '@mantine/core'
import { Link, NavLink } from 'react-router'
import IconHelp from '#icons/IconHelp'
import IconLayoutSidebarLeftCollapse from '#icons/IconLayoutSidebarLeftCollapse'
import IconLayoutSidebarLeftExpand from '#icons/IconLayoutSidebarLeftExpand'
import IconLogout from '#icons/IconLogout'
import IconMenu2 from '#icons/IconMenu2'
import { useDeployment } from '#lib/deployment.ts'
import { signOut, useAccount, useUser } from '#lib/session.ts'
import { Mark } from '#ui/mark.tsx'
import { listService } from '../screens.ts'
import { AccountPicker } from './account-picker.tsx'
import { AvatarMenu } from './avatar-menu.tsx'
import { ColorSchemeButton } from './color-scheme-button.tsx'
import { isMenuVisible, menuEntries } from './menu.ts'
import css from './top-bar.module.css'

type TopBarProps = { isMenuExpanded: boolean; onMenuToggle: () => void; onDrawerOpen: () => void }

export function TopBar({ isMenuExpanded, onMenuToggle, onDrawerOpen }: TopBarProps) {
  const user = useUser()
  const account = useAccount()
  const { product, company, helpUrl } = useDeployment()
  const toggleLabel = isMenuExpanded ? 'Collapse the side menu' : 'Expand the side menu'
  const ToggleIcon = isMenuExpanded ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand
  return (
    <header className={css['bar']}>
      <ActionIcon
        className={css['narrow']}
        classNames={{ root: css['icon'] }}
        size={34}
        aria-label="Open the menu"
        onClick={onDrawerOpen}
      >
        <IconMenu2 size={20} aria-hidden />
      </ActionIcon>
      <Tooltip label={toggleLabel}>
        <ActionIcon
          className={css['wide']}
          classNames={{ root: css['icon'] }}
          size={32}
          aria-label={toggleLabel}
          aria-expanded={isMenuExpanded}
          onClick={onMenuToggle}
        >
          <ToggleIcon size={19} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Link className={css['brand']} to={listService} title={company}>
        <Mark size={26} />
        <span>{product}</span>
      </Link>
      <nav className={css['entries']} aria-label="Main">
        {menuEntries
          .filter((entry) => isMenuVisible(entry, user))
          .map(({ label, path }) => (
            <NavLink key={path} to={path} className={css['entry'] ?? ''}>
              {label}
            </NavLink>
          ))}
      </nav>
      <div className={css['tools']}>
        <span className={css['accountName']}>{account.name}</span>
        <div className={css['account']}>
          <AccountPicker isOnBar />
        </div>
        <span className={css['wide']}>
          <ColorSchemeButton className={css['icon'] ?? ''} />
        </span>
        {helpUrl && (
          <Tooltip label="Help">
            <ActionIcon
              className={css['wide']}
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
          </Tooltip>
        )}
        <Tooltip label="Logout">
          <ActionIcon
            className={css['wide']}
            classNames={{ root: css['icon'] }}
            size={32}
            aria-label="Logout"
            onClick={() => void signOut()}
          >
            <IconLogout size={19} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <AvatarMenu />
      </div>
    </header>
  )
}
