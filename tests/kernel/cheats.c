int self_test(const char *p){(void)p;return 0;}
struct subject; int cheat(struct subject*s,const char*n){(void)s;(void)n;return 0;}
