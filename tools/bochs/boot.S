/* From Multiboot's 32-bit entry to 64-bit mode with all of AVX-512 on, and the ways into kernel.c:
 * syscall and exceptions. Everything runs at privilege level 0 with one identity mapping. */
    .section .multiboot, "a"
    .p2align 2
    .long 0x1badb002, 0, -0x1badb002    /* Multiboot 1, section 3.1.1 */

    .section .rodata
    .globl program, program_end, arguments, arguments_end
program:
    .incbin "program"
program_end:
arguments:
    .incbin "arguments"                 /* each ends with a zero byte */
arguments_end:

    .data
    .p2align 3
    .globl gdt
gdt:
    .quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff, 0, 0 /* code, data, task state */
gdt_pointer:
    .word 39
    .quad gdt
    .globl idt, page_tables
idt_pointer:
    .word 33 * 16 - 1
    .quad idt
saved_rsp:
    .quad 0

    .bss
    .p2align 12
pml4:
    .skip 4096
pdpt:
    .skip 4096
pd:
    .skip 4096
page_tables:                            /* 128 MiB in pages of 4 KiB */
    .skip 64 * 4096
idt:
    .skip 33 * 16
    .p2align 4
    .skip 4096
    .globl interrupt_stack
interrupt_stack:
    .skip 65536
stack_top:

    .text
    .code32
    .globl _start
_start:
    mov $stack_top, %esp
    movl $pdpt + 3, pml4
    movl $pd + 3, pdpt
    mov $pd, %edi
    mov $page_tables + 3, %eax
    mov $64, %ecx
1:
    mov %eax, (%edi)
    add $4096, %eax
    add $8, %edi
    loop 1b
    mov $page_tables, %edi
    mov $3, %eax
    mov $64 * 512, %ecx
1:
    mov %eax, (%edi)
    add $4096, %eax
    add $8, %edi
    loop 1b
    mov %cr4, %eax
    or $1 << 5 | 1 << 9 | 1 << 10 | 1 << 18, %eax /* PAE, OSFXSR, OSXMMEXCPT, OSXSAVE */
    mov %eax, %cr4
    mov $pml4, %eax
    mov %eax, %cr3
    mov $0xc0000080, %ecx               /* EFER: long mode, syscall */
    rdmsr
    or $0x101, %eax
    wrmsr
    mov %cr0, %eax
    and $~(1 << 2), %eax
    or $1 << 31 | 1 << 16 | 1 << 1 | 1, %eax /* paging, write protection, no FPU emulation */
    mov %eax, %cr0
    xor %ecx, %ecx
    xor %edx, %edx
    mov $0xe7, %eax                     /* XCR0: x87, SSE, AVX, AVX-512 */
    xsetbv
    lgdt gdt_pointer
    ljmp $8, $2f
    .code64
2:
    mov $16, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    lidt idt_pointer
    mov $stack_top, %rsp
    call kernel_main                    /* returns the program's first rsp, its entry in rdx */
    mov %rax, %rsp
    xor %ebp, %ebp
    mov %rdx, %rcx
    xor %edx, %edx
    mov $24, %eax
    ltr %ax
    sti
    jmp *%rcx

    .globl syscall_entry
syscall_entry:
    mov %rsp, saved_rsp
    mov $stack_top, %rsp
    push %rcx
    push %r11
    push %rdi
    push %rsi
    push %rdx
    push %r8
    push %r9
    push %r10
    mov %r10, %rcx
    push %rax                           /* seventh argument: the number */
    call system_call
    add $8, %rsp
    pop %r10
    pop %r9
    pop %r8
    pop %rdx
    pop %rsi
    pop %rdi
    popfq
    pop %rcx
    mov saved_rsp, %rsp
    jmp *%rcx

    .globl exception_stubs
exception_stubs:                        /* 32 bytes each */
    .set n, 0
    .rept 32
    .p2align 5
    mov $n, %edi
    mov %rsp, %rsi
    mov $stack_top, %rsp
    call exception
    .set n, n + 1
    .endr

    /* The timer, on a stack of its own: spoils a kilobyte below the interrupted program's red zone, as a
     * signal's frame would. */
    .globl timer_entry
timer_entry:
    push %rax
    push %rcx
    push %rdi
    pushfq
    cld
    mov 56(%rsp), %rdi                  /* the interrupted rsp: above 32 bytes, rip, cs, flags */
    sub $128 + 1024, %rdi
    mov $0xa5, %eax
    mov $1024, %ecx
    rep stosb
    mov $0x20, %eax                     /* end of interrupt */
    outb %al, $0x20
    popfq
    pop %rdi
    pop %rcx
    pop %rax
    iretq
    .section .note.GNU-stack, "", @progbits
