//! The windows. Whether the approval window is visible and active is measured here, outside its own page, and told to the
//! gate; nothing a page draws can say it.

use tauri::{
    AppHandle, LogicalPosition, LogicalSize, Manager, Runtime, WebviewUrl, WebviewWindow, WebviewWindowBuilder, Window,
    WindowEvent,
};

pub const PANEL: &str = "panel";
pub const APPROVAL: &str = "approval";
pub const LEDGER: &str = "ledger";

const PANEL_WIDTH: f64 = 420.0;

/// Opens the panel at the right edge of the screen.
pub fn open_panel<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    let screen = screen(app)?;
    let window = WebviewWindowBuilder::new(app, PANEL, WebviewUrl::App("panel.html".into()))
        .title("Countersign")
        .inner_size(PANEL_WIDTH, (screen.height - 80.0).clamp(560.0, 1100.0))
        .min_inner_size(360.0, 480.0)
        .build()?;
    window.set_position(LogicalPosition::new((screen.width - PANEL_WIDTH - 3.0).max(0.0), 0.0))
}

/// Arguments that put the browser's window to the left of the panel, when there is room for both.
pub fn beside_the_panel<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<Vec<String>> {
    let screen = screen(app)?;
    let (width, height) = (screen.width - PANEL_WIDTH - 12.0, screen.height - 40.0);
    if width < 600.0 {
        return Ok(Vec::new());
    }
    Ok(vec![
        "--window-position=0,0".into(),
        format!("--window-size={width:.0},{height:.0}"),
    ])
}

fn screen<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<LogicalSize<f64>> {
    let monitor = app.primary_monitor()?;
    Ok(monitor.map_or(LogicalSize::new(1280.0, 900.0), |monitor| {
        monitor.size().to_logical(monitor.scale_factor())
    }))
}

/// Makes the approval window, hidden: showing it later takes a fraction of the time that making it does.
pub fn prepare_approval<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    if app.get_webview_window(APPROVAL).is_some() {
        return Ok(());
    }
    WebviewWindowBuilder::new(app, APPROVAL, WebviewUrl::App("approval.html".into()))
        .title("Countersign: release or refuse")
        .inner_size(760.0, 820.0)
        .min_inner_size(480.0, 420.0)
        .visible(false)
        .center()
        .build()?;
    Ok(())
}

/// Brings the approval window up.
pub fn show_approval<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    prepare_approval(app)?;
    if let Some(window) = app.get_webview_window(APPROVAL) {
        window.unminimize()?;
        window.show()?;
        measure(&window);
    }
    Ok(())
}

/// Takes the approval window away; what it showed stays held.
pub fn hide_approval<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(APPROVAL) {
        window.hide()?;
        measure(&window);
    }
    Ok(())
}

/// Opens the ledger window, or brings it up.
pub fn show_ledger<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<()> {
    if let Some(window) = app.get_webview_window(LEDGER) {
        window.unminimize()?;
        return window.set_focus();
    }
    WebviewWindowBuilder::new(app, LEDGER, WebviewUrl::App("ledger.html".into()))
        .title("Countersign: ledger")
        .inner_size(900.0, 700.0)
        .min_inner_size(560.0, 360.0)
        .build()?;
    Ok(())
}

/// Follows what happens to the windows.
pub fn on_event<R: Runtime>(window: &Window<R>, event: &WindowEvent) {
    match (window.label(), event) {
        (APPROVAL, WindowEvent::CloseRequested { api, .. }) => {
            api.prevent_close();
            if let Err(error) = hide_approval(window.app_handle()) {
                tracing::error!(%error, "the approval window could not be hidden");
            }
        }
        (APPROVAL, WindowEvent::Focused(_) | WindowEvent::Resized(_) | WindowEvent::Moved(_)) => {
            if let Some(window) = window.app_handle().get_webview_window(APPROVAL) {
                measure(&window);
            }
        }
        // The panel is the app: the approval window, which is only hidden, must not keep it alive.
        (PANEL, WindowEvent::Destroyed) => window.app_handle().exit(0),
        _ => {}
    }
}

fn measure<R: Runtime>(window: &WebviewWindow<R>) {
    let visible = window.is_visible().unwrap_or(false) && !window.is_minimized().unwrap_or(true);
    let active = window.is_focused().unwrap_or(false);
    if let Ok(core) = crate::core(window.app_handle()) {
        core.desk().window(visible, active);
    }
}
