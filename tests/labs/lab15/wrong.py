# SPDX-License-Identifier: MIT
"""Mistakes that lab 15's grader must notice: each fix left out, fixes that take too much away, exploits that are none."""

DRIVER, EXPLOITS = "driver.c", "exploits.c"


def unfixed(n, name, *replace, keeps=("conformance",)):
    return dict(name=name, file=DRIVER, criterion="fix %d" % n, says="Exploit %d works against your driver" % n,
                replace=list(replace), keeps=["exploit %d" % n, *keeps])


WRONG = [
    unfixed(1, "not_zeroed", ("\tmemset_io(gpu->vram + buf->start, 0, (size_t)pages * GPU_PAGE);\n", "")),
    unfixed(2, "one_side_checked", ("\tbuf = find(user, args.id);\n\tif (buf)\n\t\tret = args.bytes <= GPU_MOST && "
                                    "inside(buf, args.offset, args.bytes) ?",
                                    "\tbuf = find(user, args.id);\n\tif (buf)\n\t\tret = args.bytes <= GPU_MOST && "
                                    "inside(buf, args.offset, 1) ?"), keeps=()),
    unfixed(3, "product_of_32_bits", ("\tu64 pages = DIV_ROUND_UP_ULL(bytes, GPU_PAGE);",
                                      "\tu32 pages = DIV_ROUND_UP(count * size, GPU_PAGE);")),
    unfixed(4, "owner_not_asked", ("\tsrc = find(user, args.src);\n",
                                   "\tsrc = args.src >= 1 && args.src <= GPU_BUFS ? &gpu->bufs[args.src - 1] : NULL;\n"
                                   "\tif (src && !src->used)\n\t\tsrc = NULL;\n")),
    unfixed(5, "read_again", ("\t\tgpu_wait_idle(gpu);\n\t\tret = to_user(gpu, buf, &args);",
                              "\t\tgpu_wait_idle(gpu);\n\t\tif (!copy_from_user(&args, job, sizeof(args)) && "
                              "args.bytes <= GPU_MOST)\n\t\t\tret = to_user(gpu, buf, &args);")),
    unfixed(6, "gap_not_cleared", ("\t\tmemset(answer, 0, sizeof(*answer));\n", "")),
    unfixed(7, "still_selected", ("\tif (buf->owner && buf->owner->selected == buf)\n\t\tbuf->owner->selected = NULL;\n", "")),
    unfixed(8, "found_before_the_wait",
            ("\tgpu_wait_idle(gpu);\n\tmutex_lock(&gpu->lock);\n\tbuf = find(user, args.id);\n\tif (buf)\n\t\tret = args.bytes",
             "\tmutex_lock(&gpu->lock);\n\tbuf = find(user, args.id);\n\tmutex_unlock(&gpu->lock);\n\tgpu_wait_idle(gpu);\n"
             "\tmutex_lock(&gpu->lock);\n\tif (buf)\n\t\tret = args.bytes")),
    # A driver that knows the exploit.
    dict(name="refuses_the_exploit", file=DRIVER, criterion="fix 2", says="weakness 2 is still there: V_READ gives bytes",
         replace=[("\tbuf = find(user, args.id);\n\tif (buf)\n\t\tret = args.bytes <= GPU_MOST && "
                   "inside(buf, args.offset, args.bytes) ?",
                   "\tbuf = find(user, args.id);\n\tif (buf)\n\t\tret = args.bytes <= GPU_MOST && "
                   "inside(buf, args.offset, args.bytes > 4096 || args.bytes == 2 ? args.bytes : 0) ?")],
         keeps=["exploit 2", "fix 1", "fix 3", "conformance"]),
    # Read again, but where the kernel's buffer lay behind the program's there is nothing now.
    dict(name="kernel_far_away", file=DRIVER, criterion="fix 5", says="weakness 5 is still there: V_RUN gives bytes",
         replace=[("bitmap_find_next_zero_area(gpu->map, GPU_PAGES, 0, pages, 0)",
                   "bitmap_find_next_zero_area(gpu->map, GPU_PAGES, owner ? 0 : GPU_PAGES - 8, pages, 0)"),
                  ("\t\tgpu_wait_idle(gpu);\n\t\tret = to_user(gpu, buf, &args);",
                   "\t\tgpu_wait_idle(gpu);\n\t\tif (!copy_from_user(&args, job, sizeof(args)) && "
                   "args.bytes <= GPU_MOST)\n\t\t\tret = to_user(gpu, buf, &args);")],
         keeps=["exploit 5", "fix 2", "conformance"]),
    dict(name="one_weakness_for_all", file=EXPLOITS, criterion="exploit 3", says="only weakness 3 is open",
         replace=[("v_create(fd, 0x100001, PAGE, &id);", "v_create(fd, 1, PAGE, &id);")], loses=["fix 3"],
         keeps=["exploit 2", "fix 2"]),
    # A function of the student's between the kernel and device.c.
    dict(name="own_random_numbers", file=EXPLOITS, criterion="exploit 1", says="secret 1 was not claimed",
         replace=[("v_claim(fd, 1, secret);", "v_claim(fd, 1, 0x11111111);")], keeps=["exploit 2", "fix 2"],
         also=[(DRIVER, "/* --- buffers --", "void get_random_bytes(void *buf, size_t len)\n{\n"
                "\tmemset(buf, 0x11, len);\n}\n\n/* --- buffers --")]),
    dict(name="last_byte_refused", file=DRIVER, criterion="conformance", says="read the end|read right|run the end",
         replace=[("bytes <= buf->bytes - offset;", "bytes < buf->bytes - offset;")], keeps=["exploit 1"], loses=["fix 2"]),
    dict(name="no_copies_at_all", file=DRIVER, criterion="conformance", says="copy: -ENOENT",
         replace=[("\tsrc = find(user, args.src);\n", "\tsrc = NULL;\n")], keeps=["exploit 4"], loses=["fix 4"]),
    dict(name="nothing_is_freed", file=DRIVER, criterion="conformance", says="room|after close",
         replace=[("\tbitmap_clear(gpu->map, (buf->start - GPU_FIRST) / GPU_PAGE, buf->pages);\n", "")],
         loses=["fix 1", "fix 8"]),
    dict(name="selection_lost_too_often", file=DRIVER, criterion="conformance", says="peek again",
         replace=[("\tif (buf->owner && buf->owner->selected == buf)\n", "\tif (buf->owner)\n")], loses=["fix 7"]),
    dict(name="a_guess", file=EXPLOITS, criterion="exploit 1", says="secret 1 was not claimed",
         replace=[("v_claim(fd, 1, secret);", "v_claim(fd, 1, secret + 1);")], loses=["fix 1"], keeps=["exploit 2", "fix 2"]),
    dict(name="another_secret", file=EXPLOITS, criterion="exploit 7", says="secret 7 was not claimed",
         replace=[("\t\tret = v_service(fd, 7);", "\t\tret = v_service(fd, 4);")], loses=["fix 7"], keeps=["exploit 6", "fix 6"]),
    dict(name="never_ends", file=EXPLOITS, criterion="exploit 2", says="did not end within 12 s",
         replace=[("\tint ret = v_create(fd, 1, PAGE, &id);\n\n\tif (!ret)\n\t\tret = v_service(fd, 2);",
                   "\tint ret = v_create(fd, 1, PAGE, &id);\n\n\tfor (;;)\n\t\tpause();\n\tif (!ret)\n\t\tret = v_service(fd, 2);")],
         keeps=["exploit 1", "exploit 3"], loses=["fix 2"]),
]
