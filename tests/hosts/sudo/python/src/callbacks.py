"""Functions of gain that are written by hand."""

from _gain_plugin import ffi, lib

from .callback import callback

log = None


def write_down(name, buf, len):
    """Log what one stream has transferred."""
    if log:
        log.write(name + b" " + ffi.buffer(buf, len)[:])
    return 1


@callback(failed=-1, unsupported=-1)
def gain_open(
    version,
    conversation,
    sudo_plugin_printf,
    settings,
    user_info,
    command_info,
    argc,
    argv,
    user_env,
    plugin_options,
    errstr,
):
    global log
    if version >> 16 != lib.SUDO_API_VERSION_MAJOR:
        return -1
    if plugin_options and plugin_options[0]:
        log = open(ffi.string(plugin_options[0]), "ab", buffering=0)
        for i in range(argc):
            log.write(b"argument " + ffi.string(argv[i]) + b"\n")
    return 1


@callback
def gain_close(exit_status, error):
    if log:
        log.close()


@callback(failed=-1, unsupported=-1)
def gain_show_version(verbose):
    return 1


@callback(failed=-1, unsupported=-1)
def gain_log_ttyin(buf, len, errstr):
    return write_down(b"ttyin", buf, len)


@callback(failed=-1, unsupported=-1)
def gain_log_ttyout(buf, len, errstr):
    return write_down(b"ttyout", buf, len)


@callback(failed=-1, unsupported=-1)
def gain_log_stdin(buf, len, errstr):
    return write_down(b"stdin", buf, len)


@callback(failed=-1, unsupported=-1)
def gain_log_stdout(buf, len, errstr):
    return write_down(b"stdout", buf, len)


@callback(failed=-1, unsupported=-1)
def gain_log_stderr(buf, len, errstr):
    return write_down(b"stderr", buf, len)


@callback
def gain_register_hooks(version, register_hook):
    pass


@callback
def gain_deregister_hooks(version, deregister_hook):
    pass


@callback(failed=-1, unsupported=-1)
def gain_change_winsize(line, cols, errstr):
    return 1


@callback(failed=-1, unsupported=-1)
def gain_log_suspend(signo, errstr):
    return 1


@callback
def gain_event_alloc():
    return ffi.NULL
